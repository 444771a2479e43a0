#include "heed/serve/time_share.h"

#include <algorithm>

namespace heed {

void LaneShare::Count(Lane lane, Duration time) {
  lead_ += lane == Lane::kShort
               ? std::chrono::duration_cast<Duration>(time / weight_)
               : -time;
  lead_ = std::max(lead_, -allowance_);
}

LaneShare::Duration LaneShare::UntilEqual() const {
  const Duration missing = std::max(allowance_ - lead_, Duration());
  return std::chrono::duration_cast<Duration>(missing * weight_);
}

void ClientShare::Begin(const std::string& client) {
  if (const auto known = accounts_.find(client); known != accounts_.end()) {
    ++known->second.computations;
    return;
  }
  Duration min = {};
  for (auto account = accounts_.begin(); account != accounts_.end();
       ++account) {
    min = account == accounts_.begin() ? account->second.used
                                       : std::min(min, account->second.used);
  }
  accounts_[client] = {min, 1};
}

void ClientShare::End(const std::string& client) {
  const auto account = accounts_.find(client);
  if (account != accounts_.end() && --account->second.computations == 0) {
    accounts_.erase(account);
  }
}

void ClientShare::Count(const std::string& client, Duration time) {
  const auto account = accounts_.find(client);
  if (account != accounts_.end()) account->second.used += time;
}

ClientShare::Duration ClientShare::UsedBy(const std::string& client) const {
  const auto account = accounts_.find(client);
  return account == accounts_.end() ? Duration() : account->second.used;
}

}  // namespace heed
