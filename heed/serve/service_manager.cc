#include "heed/serve/service_manager.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "heed/base/text.h"

namespace heed {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

ServiceManager::ServiceManager() : socket_(Environment("NOTIFY_SOCKET")) {
  const int64_t limit =
      ParseInteger<int64_t>(Environment("WATCHDOG_USEC")).value_or(0);
  const std::string process = Environment("WATCHDOG_PID");
  const bool for_us =
      process.empty() || ParseInteger<int64_t>(process) == getpid();
  if (limit > 1 && for_us) alive_every_ = std::chrono::microseconds(limit / 2);
}

void ServiceManager::Reloading() const {
  constexpr int64_t kMicro = 1000000;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  Send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}",
                   int64_t{now.tv_sec} * kMicro + now.tv_nsec / 1000));
}

void ServiceManager::Send(std::string_view state) const {
  sockaddr_un address = {};
  if (socket_.size() < 2 || socket_.size() >= sizeof(address.sun_path)) return;
  address.sun_family = AF_UNIX;
  socket_.copy(address.sun_path, socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';
  const int sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (sender < 0) return;
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  sendto(sender, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
         reinterpret_cast<const sockaddr*>(&address), size);
  close(sender);
}

}  // namespace heed
