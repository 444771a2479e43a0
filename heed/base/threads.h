// Global thread pool.
//
// All parallel work runs as chunks on one thread pool, see thread_pool.h. Chunk
// borders depend on sizes alone, never on the number of threads or on timing,
// and partial results are combined in chunk order, so results are
// deterministic.
#ifndef HEED_BASE_THREADS_H_
#define HEED_BASE_THREADS_H_

#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

namespace heed {

/// Number of threads that parallel loops currently use (at least 1).
int ThreadCount();

/// Number of cores of the machine, including cores that this process may not
/// use.
int CoreCount();

/// Limits parallel loops to `threads` during its lifetime; 0: one per core.
/// Only one instance at a time, created by the main program.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_;
};

/// Records the parallel loops that this thread starts during its lifetime;
/// their chunks run on this thread alone, one after another. Only one instance
/// per thread at a time.
class LoopProfile {
 public:
  struct Loop {
    int32_t within = -1;  // index of the loop that started it; -1: none
    int64_t chunks = 0;
    double seconds = 0;  // of all chunks
  };

  LoopProfile();
  ~LoopProfile();
  LoopProfile(const LoopProfile&) = delete;
  LoopProfile& operator=(const LoopProfile&) = delete;

  /// The loops in the order of their starts.
  const std::vector<Loop>& loops() const { return loops_; }

  /// Runs chunks 0 to `chunks` − 1 and records them.
  void Run(int64_t chunks, const std::function<void(int64_t)>& chunk);

 private:
  std::vector<Loop> loops_;
  int32_t current_ = -1;
};

namespace internal {
using ChunkFn = void (*)(void* body, int64_t begin, int64_t end);
void ParallelChunks(int64_t n, int64_t grain, void* body, ChunkFn fn);
}  // namespace internal

/// Calls body(begin, end) for consecutive chunks of [0, n), each of `grain`
/// items (the last may be shorter). Chunks may run concurrently; a single chunk
/// runs on the calling thread without the scheduler. Rethrows an exception of a
/// chunk.
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

/// Calls body(i) for i in [0, n), in order within a chunk.
template <typename Body>
void ParallelForEach(int64_t n, int64_t grain, Body&& body) {
  ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

/// Calls task(i) for i in [0, n), concurrently. Parallel loops within a task
/// run on its thread alone, which is fastest with more tasks than threads. A
/// single task runs as a plain call. Rethrows an exception of a task.
void ParallelTasks(int64_t n, const std::function<void(int64_t)>& task);

}  // namespace heed

#endif  // HEED_BASE_THREADS_H_
