#include "heed/train/interrupt.h"

#include <atomic>

namespace heed {
namespace {

// Static storage, because a signal handler can access nothing else.
volatile std::sig_atomic_t requested = 0;

extern "C" void OnSignal(int) { requested = 1; }

/// An InterruptSource exists, and its cancellation.
std::atomic<bool> has_source = false;
std::atomic<const Cancellation*> source = nullptr;

}  // namespace

InterruptSource::InterruptSource(const Cancellation* cancellation) {
  source = cancellation;
  has_source = true;
}
InterruptSource::~InterruptSource() {
  has_source = false;
  source = nullptr;
}

InterruptGuard::InterruptGuard() : handles_(!has_source), old_() {
  requested = 0;
  if (!handles_) return;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESETHAND;  // a second signal ends the process
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &old_[i]);
    // nohup ignores SIGHUP on purpose.
    const bool ignored = old_[i].sa_handler == SIG_IGN;
    if (kSignals[i] == SIGHUP && ignored) continue;
    sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  if (!handles_) return;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &old_[i], nullptr);
  }
}

bool InterruptGuard::Requested() const { return InterruptRequested(); }

bool InterruptRequested() {
  const Cancellation* const cancellation = source;
  return requested != 0 ||
         (cancellation != nullptr && cancellation->cancelled());
}

}  // namespace heed
