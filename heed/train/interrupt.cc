#include "heed/train/interrupt.h"

namespace heed {
namespace {

// A signal handler reaches nothing but static storage.
volatile std::sig_atomic_t requested = 0;

extern "C" void OnSignal(int) { requested = 1; }

}  // namespace

InterruptGuard::InterruptGuard() : old_interrupt_(), old_terminate_() {
  requested = 0;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESETHAND;  // so that the second signal ends the process
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool InterruptGuard::Requested() const { return requested != 0; }

}  // namespace heed
