#include "heed/serve/idle_memory.h"

#include <gtest/gtest.h>

#include <atomic>

#include "heed/tensor/pool.h"

namespace heed {
namespace {

TEST(IdleMemory, GoesBackOnceThereIsNothingToCompute) {
  std::atomic<bool> idle = false;
  std::atomic<int> looks = 0;
  const IdleMemory memory(
      [&] {
        ++looks;
        return idle.load();
      },
      std::chrono::milliseconds(1));
  pool::Release(pool::Acquire(1 << 20));
  const int64_t cached = pool::Stats().cached;
  const int seen = looks;
  while (looks < seen + 5) std::this_thread::yield();
  EXPECT_EQ(pool::Stats().cached, cached) << "somebody computes";
  idle = true;
  while (pool::Stats().cached > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace heed
