// The one pool of threads.
//
// All parallel work runs as chunks on one pool of threads, see thread_pool.h.
// Chunk borders depend on sizes alone, never on the number of threads or on
// timing, and partial results are combined in chunk order, so what ran where
// never changes a result.
#ifndef HEED_BASE_THREADS_H_
#define HEED_BASE_THREADS_H_

#include <cstdint>
#include <functional>
#include <type_traits>

namespace heed {

/// Number of threads that parallel loops use now (at least 1).
int ThreadCount();

/// Cores of this machine, whichever of them this process may use.
int CoreCount();

/// Limits parallel loops to `threads` while it lives; 0 means one per core.
/// One instance at a time, made by the program that owns the process.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_;
};

namespace internal {
using ChunkFn = void (*)(void* body, int64_t begin, int64_t end);
void ParallelChunks(int64_t n, int64_t grain, void* body, ChunkFn fn);
}  // namespace internal

/// Calls body(begin, end) for consecutive chunks of [0, n), each of `grain`
/// items (the last may be shorter). Chunks may run at the same time; a single
/// chunk runs on the calling thread without touching the scheduler. An
/// exception thrown by a chunk reaches the caller.
template <typename Body>
void ParallelFor(int64_t n, int64_t grain, Body&& body) {
  if (n <= 0) return;
  if (n <= grain) {
    body(int64_t{0}, n);
    return;
  }
  using B = std::remove_reference_t<Body>;
  internal::ParallelChunks(n, grain,
                           const_cast<void*>(static_cast<const void*>(&body)),
                           [](void* b, int64_t begin, int64_t end) {
                             (*static_cast<B*>(b))(begin, end);
                           });
}

/// Calls body(i) for i in [0, n), those of a chunk in order.
template <typename Body>
void ParallelForEach(int64_t n, int64_t grain, Body&& body) {
  ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

/// Calls task(i) for i in [0, n), several at the same time. Parallel loops
/// within a task run on its thread alone, which is what takes least time where
/// there are more tasks than threads. A single task runs as if it were called.
/// An exception thrown by a task reaches the caller.
void ParallelTasks(int64_t n, const std::function<void(int64_t)>& task);

}  // namespace heed

#endif  // HEED_BASE_THREADS_H_
