// Shares of a model's time, for those who want it at the same moment.
#ifndef HEED_SERVE_TIME_SHARE_H_
#define HEED_SERVE_TIME_SHARE_H_

#include <chrono>
#include <map>
#include <string>

namespace heed {

/// Kinds of computations: those that others wait for a moment, and those that
/// take long.
enum class Lane { kShort, kLong };

/// Shares time between the two lanes. Short computations never wait for long
/// ones; long ones pause for short ones until these are ahead of their share by
/// an allowance. Knows no clock.
class LaneShare {
 public:
  using Duration = std::chrono::nanoseconds;

  /// Short computations get `weight` times as much time as long ones, if both
  /// always want it.
  LaneShare(double weight, Duration allowance)
      : weight_(weight), allowance_(allowance) {}

  /// Counts time that a computation of this lane took while the other lane
  /// wanted time, too.
  void Count(Lane lane, Duration time);
  /// Forgets who is ahead: one lane wants no time any more.
  void Reset() { lead_ = {}; }

  /// Whether long computations pause while there are short ones.
  bool ShortFirst() const { return lead_ < allowance_; }
  /// How much time short computations take until that changes.
  Duration UntilEqual() const;

 private:
  const double weight_;
  const Duration allowance_;
  Duration lead_ = {};  // of short ones, in time of long ones
};

/// Shares time between clients: the next turn is for the one that has used the
/// least. Time that a client did not want is not saved up for it. Knows no
/// clock.
class ClientShare {
 public:
  using Duration = std::chrono::nanoseconds;

  /// A computation of the client begins, as if it had used as much as the one
  /// of the others with the least; or ends.
  void Begin(const std::string& client);
  void End(const std::string& client);
  void Count(const std::string& client, Duration time);
  /// Time that the client has used; zero if it has no computation.
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
