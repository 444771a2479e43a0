// Lower priority for background threads.
#ifndef HEED_SERVE_THREAD_PRIORITY_H_
#define HEED_SERVE_THREAD_PRIORITY_H_

namespace heed {

/// Lowers the priority of the calling thread (nice). Threads of parallel loops
/// keep their priority.
void StepBack();

}  // namespace heed

#endif  // HEED_SERVE_THREAD_PRIORITY_H_
