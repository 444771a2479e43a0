#include "heed/train/interrupt.h"

namespace heed {
namespace {

// Static storage, because a signal handler can access nothing else.
volatile std::sig_atomic_t requested = 0;

extern "C" void OnSignal(int) { requested = 1; }

}  // namespace

InterruptGuard::InterruptGuard() : old_() {
  requested = 0;
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
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &old_[i], nullptr);
  }
}

bool InterruptGuard::Requested() const { return InterruptRequested(); }

bool InterruptRequested() { return requested != 0; }

}  // namespace heed
