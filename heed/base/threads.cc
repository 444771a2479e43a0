#include "heed/base/threads.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>

#include "heed/base/memory.h"

namespace heed {

int ThreadCount() {
  const auto limit = tbb::global_control::active_value(
      tbb::global_control::max_allowed_parallelism);
  return std::max(
      1, std::min(static_cast<int>(limit), tbb::info::default_concurrency()));
}

int CoreCount() {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

struct ThreadLimit::Impl {
  explicit Impl(int threads)
      : control(tbb::global_control::max_allowed_parallelism,
                static_cast<size_t>(threads)) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int threads) {
  // oneTBB loads its allocator when it is first used, and the dlopen() of glibc
  // crashes without memory.
  constexpr size_t kForLoading = size_t{1} << 24;
  RequireMemory(kForLoading);
  impl_ = std::make_unique<Impl>(
      threads > 0 ? threads : tbb::info::default_concurrency());
}
ThreadLimit::~ThreadLimit() = default;

namespace internal {

void ParallelChunks(int64_t n, int64_t grain, void* body, ChunkFn fn) {
  const int64_t chunks = (n + grain - 1) / grain;
  // Isolated: a thread that waits for this loop runs no chunk of another one,
  // which might want a lock that the thread holds.
  tbb::this_task_arena::isolate([=] {
    tbb::parallel_for(
        int64_t{0}, chunks,
        [=](int64_t c) { fn(body, c * grain, std::min(n, (c + 1) * grain)); },
        tbb::simple_partitioner());
  });
}

}  // namespace internal

void ParallelTasks(int64_t n, const std::function<void(int64_t)>& task) {
  if (n == 1) return task(0);
  ParallelForEach(n, 1, [&](int64_t i) {
    tbb::task_arena alone(1);
    alone.execute([&] { task(i); });
  });
}

}  // namespace heed
