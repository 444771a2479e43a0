// Fair shares of a model's time between lanes and between clients.
#ifndef HEED_SERVE_TIME_SHARE_H_
#define HEED_SERVE_TIME_SHARE_H_

#include <chrono>
#include <map>
#include <string>

namespace heed {

/// Lanes of computations: short ones have precedence over long ones.
enum class Lane { kShort, kLong };

/// Shares time between the two lanes. Short computations never wait for long
/// ones. Long computations pause for short ones until these have used an
/// allowance above their share. Independent of clocks.
class LaneShare {
 public:
  using Duration = std::chrono::nanoseconds;

  /// Short computations get `weight` times as much time as long ones, if both
  /// always compute.
  LaneShare(double weight, Duration allowance)
      : weight_(weight), allowance_(allowance) {}

  /// Counts time of a computation in this lane, during which the other lane
  /// also had computations.
  void Count(Lane lane, Duration time);
  /// Resets the shares, when one lane has no more computations.
  void Reset() { lead_ = {}; }

  /// True if long computations pause for short ones.
  bool ShortFirst() const { return lead_ < allowance_; }
  /// Time of short computations until ShortFirst() becomes false.
  Duration UntilEqual() const;

 private:
  const double weight_;
  const Duration allowance_;
  Duration lead_ = {};  // lead of short computations, in time of long ones
};

/// Shares time between clients: the next turn goes to the client that used the
/// least. An idle client saves up no time. Independent of clocks.
class ClientShare {
 public:
  using Duration = std::chrono::nanoseconds;

  /// Begins or ends a computation of the client. A new client starts with the
  /// least time that any other client has used.
  void Begin(const std::string& client);
  void End(const std::string& client);
  void Count(const std::string& client, Duration time);
  /// Time used by the client; zero if it has no computation.
  Duration UsedBy(const std::string& client) const;

 private:
  struct Account {
    Duration used = {};
    int computations = 0;
  };
  std::map<std::string, Account> accounts_;
};

}  // namespace heed

#endif  // HEED_SERVE_TIME_SHARE_H_
