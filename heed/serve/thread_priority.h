// Priority of threads whose work others should not wait for.
#ifndef HEED_SERVE_THREAD_PRIORITY_H_
#define HEED_SERVE_THREAD_PRIORITY_H_

namespace heed {

/// Gives the calling thread less of a busy processor than those that clients
/// wait for. The threads of parallel loops keep theirs.
void StepBack();

}  // namespace heed

#endif  // HEED_SERVE_THREAD_PRIORITY_H_
