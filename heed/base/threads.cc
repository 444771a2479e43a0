#include "heed/base/threads.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "heed/base/thread_pool.h"

namespace heed {
namespace {

/// Cores that this process may use.
int AllowedCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return CoreCount();
  return std::max(1, CPU_COUNT(&cores));
}

/// Global pool, never destroyed because its threads outlive static objects.
ThreadPool& Pool() {
  static ThreadPool* const pool = [] {
    auto* made = new ThreadPool;
    made->Limit(AllowedCores());
    return made;
  }();
  return *pool;
}

/// True if loops of this thread run on it alone.
thread_local bool alone = false;

}  // namespace

int ThreadCount() { return alone ? 1 : Pool().limit(); }

int CoreCount() {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

ThreadLimit::ThreadLimit(int threads) : before_(Pool().limit()) {
  const int cores = AllowedCores();
  Pool().Limit(threads > 0 ? std::min(threads, cores) : cores);
}
ThreadLimit::~ThreadLimit() { Pool().Limit(before_); }

namespace internal {

void ParallelChunks(int64_t n, int64_t grain, void* body, ChunkFn fn) {
  struct Chunks {
    int64_t n, grain;
    void* body;
    ChunkFn fn;
    void Run(int64_t c) const {
      fn(body, c * grain, std::min(n, (c + 1) * grain));
    }
  };
  Chunks chunks{n, grain, body, fn};
  const int64_t count = (n + grain - 1) / grain;
  if (alone) {
    for (int64_t c = 0; c < count; ++c) chunks.Run(c);
    return;
  }
  Pool().Run(
      count, [](void* of, int64_t c) { static_cast<Chunks*>(of)->Run(c); },
      &chunks);
}

}  // namespace internal

void ParallelTasks(int64_t n, const std::function<void(int64_t)>& task) {
  if (n == 1) return task(0);
  ParallelForEach(n, 1, [&](int64_t i) {
    struct Alone {
      bool before = std::exchange(alone, true);
      ~Alone() { alone = before; }
    };
    const Alone here;
    task(i);
  });
}

}  // namespace heed
