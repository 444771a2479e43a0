// Threads that share the chunks of loops.
//
// The thread that starts a loop runs chunks of it and returns when all are
// done; threads of the pool that have nothing to do help it. Loops may be
// nested, and started by several threads at once. Between loops the pool's
// threads look for the next one for a while before they sleep, because waking
// takes longer than many a loop.
// Where another program keeps a thread of a loop from running, one that waits
// for it lets it have its core (cores.h); where a thread may run stays as it
// was.
#ifndef HEED_BASE_THREAD_POOL_H_
#define HEED_BASE_THREAD_POOL_H_

#include <cstdint>
#include <memory>

namespace heed {

class ThreadPool {
 public:
  /// Runs chunk `c` of a loop.
  using Chunk = void (*)(void* body, int64_t c);

  /// Starts no thread yet.
  ThreadPool();
  /// No loop may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// How many threads a loop may have from now on, the caller's included.
  /// Range: threads > 0.
  void Limit(int threads);
  int limit() const;

  /// Calls chunk(body, c) for 0 <= c < chunks. A thread begins with the chunks
  /// of its own part, always the same for loops of as many, so that what it
  /// left in its cache is of use to it, and goes on to those of others. While
  /// the caller waits it runs nothing else. Throws what a chunk threw (of
  /// several one); then chunks that have not begun are left out. Where threads
  /// cannot be started, there are fewer.
  void Run(int64_t chunks, Chunk chunk, void* body);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed

#endif  // HEED_BASE_THREAD_POOL_H_
