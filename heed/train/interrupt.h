// Ctrl-C that lets the work at hand end in order.
#ifndef HEED_TRAIN_INTERRUPT_H_
#define HEED_TRAIN_INTERRUPT_H_

#include <array>
#include <csignal>

namespace heed {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP (the terminal or the
/// connection is gone) only makes Requested() true; a second one of the same
/// kind ends the process at once. A SIGHUP that is ignored, as under nohup,
/// stays so. One at a time.
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

/// Whether the guard that lives, or lived last, has seen a signal.
bool InterruptRequested();

}  // namespace heed

#endif  // HEED_TRAIN_INTERRUPT_H_
