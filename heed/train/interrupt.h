// Ctrl-C that lets the work at hand end in order.
#ifndef HEED_TRAIN_INTERRUPT_H_
#define HEED_TRAIN_INTERRUPT_H_

#include <csignal>

namespace heed {

/// While it lives, the first SIGINT or SIGTERM only makes Requested() true; a
/// second one of the same kind ends the process at once. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool Requested() const;

 private:
  struct sigaction old_interrupt_;
  struct sigaction old_terminate_;
};

}  // namespace heed

#endif  // HEED_TRAIN_INTERRUPT_H_
