// Thread pool for parallel loops.
//
// The calling thread runs chunks of its loop and returns when all are done;
// idle threads of the pool help. Loops may be nested and started by several
// threads at once. Idle threads spin for a while before they sleep, because
// waking takes longer than many loops. A spinning thread soon yields its core
// to other threads. Thread affinity is never changed.
#ifndef HEED_BASE_THREAD_POOL_H_
#define HEED_BASE_THREAD_POOL_H_

#include <cstdint>
#include <memory>

namespace heed {

class ThreadPool {
 public:
  /// Runs chunk `c` of a loop.
  using Chunk = void (*)(void* body, int64_t c);

  /// Creates a pool without threads; they start with the first loop.
  ThreadPool();
  /// Must not be called while a loop runs.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Sets the number of threads that a loop may use, including the caller.
  /// Range: threads > 0.
  void Limit(int threads);
  int limit() const;

  /// Calls chunk(body, c) for 0 <= c < chunks. Each thread starts with a fixed
  /// range of chunks, which keeps its cache warm across loops of equal length,
  /// and then takes chunks of others. A waiting caller runs no other loop.
  /// Rethrows one exception of a chunk; chunks that have not started are then
  /// skipped. If threads cannot be started, fewer are used.
  void Run(int64_t chunks, Chunk chunk, void* body);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed

#endif  // HEED_BASE_THREAD_POOL_H_
