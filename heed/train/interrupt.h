// Graceful shutdown on Ctrl-C and other signals.
#ifndef HEED_TRAIN_INTERRUPT_H_
#define HEED_TRAIN_INTERRUPT_H_

#include <array>
#include <csignal>

#include "heed/base/cancellation.h"

namespace heed {

/// While it exists, the first SIGINT, SIGTERM or SIGHUP (terminal or connection
/// closed) only makes Requested() true. A second signal of the same kind ends
/// the process at once. An ignored SIGHUP, as under nohup, stays ignored. Only
/// one guard may exist at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool Requested() const;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  bool handles_ = true;
  std::array<struct sigaction, kSignals.size()> old_;
};

/// While it exists, trainings stop when `cancellation` is set instead of at a
/// signal, and guards leave signals alone. Only one may exist at a time.
class InterruptSource {
 public:
  /// `cancellation`: null: never.
  explicit InterruptSource(const Cancellation* cancellation);
  ~InterruptSource();
  InterruptSource(const InterruptSource&) = delete;
  InterruptSource& operator=(const InterruptSource&) = delete;
};

/// True if the current or most recent guard has received a signal, or if the
/// cancellation of the InterruptSource is set.
bool InterruptRequested();

}  // namespace heed

#endif  // HEED_TRAIN_INTERRUPT_H_
