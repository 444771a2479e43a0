#include "heed/base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/thread_pool.h"
#include "heed/base/timing.h"

namespace heed {
namespace {

/// Cores that this process may use.
int AllowedCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return CoreCount();
  return std::max(1, CPU_COUNT(&cores));
}

/// Threads that loops may use; 0: one per core that the process may use.
std::atomic<int> wanted_threads = 0;

/// The global pool; null before its first use. Never destroyed, because its
/// threads outlive static objects.
std::atomic<ThreadPool*> current = nullptr;

/// A child of fork() has the memory of the pool but not its threads, so it
/// makes a new pool at its first loop.
void ForgetPool() { current.store(nullptr, std::memory_order_relaxed); }

ThreadPool& MakePool() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, ForgetPool);
  if (ThreadPool* const pool = current) return *pool;
  auto* const made = new ThreadPool;
  const int wanted = wanted_threads;
  made->Limit(wanted > 0 ? wanted : AllowedCores());
  current = made;
  return *made;
}

ThreadPool& Pool() {
  ThreadPool* const pool = current.load(std::memory_order_acquire);
  return pool != nullptr ? *pool : MakePool();
}

/// Limits the pool, and those of child processes.
void Limit(int threads) {
  wanted_threads = threads;
  Pool().Limit(threads);
}

/// True if loops of this thread run on it alone.
thread_local bool alone = false;
/// Recorder of the loops of this thread; null: none.
thread_local LoopProfile* profile = nullptr;

}  // namespace

int ThreadCount() { return alone ? 1 : Pool().limit(); }

int CoreCount() {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

ThreadLimit::ThreadLimit(int threads) : before_(Pool().limit()) {
  const int cores = AllowedCores();
  Limit(threads > 0 ? std::min(threads, cores) : cores);
}
ThreadLimit::~ThreadLimit() { Limit(before_); }

LoopProfile::LoopProfile() { profile = this; }
LoopProfile::~LoopProfile() { profile = nullptr; }

void LoopProfile::Run(int64_t chunks,
                      const std::function<void(int64_t)>& chunk) {
  const auto own = static_cast<int32_t>(loops_.size());
  loops_.push_back({.within = current_, .chunks = chunks, .seconds = 0});
  const int32_t before = std::exchange(current_, own);
  const auto start = Clock::now();
  for (int64_t c = 0; c < chunks; ++c) chunk(c);
  At(loops_, own).seconds = SecondsSince(start);
  current_ = before;
}

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
  if (profile != nullptr) {
    profile->Run(count, [&](int64_t c) { chunks.Run(c); });
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
