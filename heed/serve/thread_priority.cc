#include "heed/serve/thread_priority.h"

#include <sys/resource.h>

#include "heed/base/threads.h"

namespace heed {

void StepBack() {
  constexpr int kNice = 5;
  thread_local bool done = false;
  if (done) return;
  done = true;
  // Threads inherit the priority of their creator, so start the pool first.
  ParallelFor(ThreadCount(), 1, [](int64_t, int64_t) {});
  const int present = getpriority(PRIO_PROCESS, 0);  // of this thread, on Linux
  setpriority(PRIO_PROCESS, 0, present + kNice);
}

}  // namespace heed
