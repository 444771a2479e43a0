// Graceful shutdown on Ctrl-C and other signals.
#ifndef HEED_TRAIN_INTERRUPT_H_
#define HEED_TRAIN_INTERRUPT_H_

#include <array>
#include <csignal>

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
  std::array<struct sigaction, kSignals.size()> old_;
};

/// True if the current or most recent guard has received a signal.
bool InterruptRequested();

}  // namespace heed

#endif  // HEED_TRAIN_INTERRUPT_H_
