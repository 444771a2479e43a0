#include "heed/tensor/pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <thread>
#include <vector>

#include "heed/tensor/pool_limit.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

/// False in builds with the address sanitizer, which cache no buffers.
bool Keeps() {
  pool::Release(pool::Acquire(100));
  return pool::Stats().cached > 0;
}

TEST(Pool, GivesAlignedBuffersOfAtLeastTheSize) {
  for (const size_t bytes :
       {0, 1, 63, 64, 65, 80, 81, 1000, 4096, 4097, 1 << 20, 3 << 20}) {
    Buffer* buffer = pool::Acquire(bytes);
    EXPECT_GE(buffer->capacity, bytes);
    EXPECT_LE(buffer->capacity, bytes + bytes / 4 + 64)
        << "too much for " << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->bytes()) % 64, 0U);
    EXPECT_EQ(buffer->references, 1);
    pool::Release(buffer);
  }
}

TEST(Pool, ElementsThatNobodyTouchesTakeNoMemory) {
  if (!Keeps()) GTEST_SKIP() << "the sanitizer touches what it gives";
  constexpr size_t kBytes = size_t{64} << 20;
  Buffer* buffer = pool::Acquire(kBytes);
  EXPECT_EQ(Resident(buffer->bytes(), kBytes), 0U);
  std::memset(buffer->bytes(), 1, kBytes);
  EXPECT_EQ(Resident(buffer->bytes(), kBytes), kBytes);
  pool::Release(buffer);
  pool::Trim();
}

TEST(Pool, ReusesAReleasedBuffer) {
  if (!Keeps()) GTEST_SKIP();
  Buffer* first = pool::Acquire(5000);
  pool::Release(first);
  const int64_t system = pool::Stats().system;
  Buffer* second = pool::Acquire(4900);
  EXPECT_EQ(second, first);
  EXPECT_EQ(pool::Stats().system, system);
  pool::Release(second);
}

TEST(Pool, CountsWhatIsInUseAndThePeak) {
  pool::ResetPeak();
  const PoolStats before = pool::Stats();
  EXPECT_EQ(before.peak, before.in_use);
  Buffer* a = pool::Acquire(1 << 20);
  Buffer* b = pool::Acquire(1 << 20);
  EXPECT_EQ(pool::Stats().in_use, before.in_use + (2 << 20));
  pool::Release(a);
  pool::Release(b);
  const PoolStats after = pool::Stats();
  EXPECT_EQ(after.in_use, before.in_use);
  EXPECT_EQ(after.peak, before.in_use + (2 << 20));
}

TEST(Pool, KeepsAtMostTheGivenBytes) {
  constexpr int64_t kMax = int64_t{8} << 20;
  pool::KeepAtMost(kMax);
  std::vector<Buffer*> buffers;
  for (size_t i = 1; i <= 64; ++i) buffers.push_back(pool::Acquire(i << 18));
  for (Buffer* buffer : buffers) {
    pool::Release(buffer);
    EXPECT_LE(pool::Stats().cached, kMax);
  }
  pool::KeepAtMost(std::numeric_limits<int64_t>::max());
}

TEST(Pool, TrimGivesCachedBuffersBack) {
  if (!Keeps()) GTEST_SKIP();
  pool::Release(pool::Acquire(1 << 20));
  EXPECT_GE(pool::Stats().cached, 1 << 20);
  pool::Trim();
  EXPECT_EQ(pool::Stats().cached, 0);
}

TEST(Pool, RefusesWhatNoMachineHas) {
  EXPECT_THROW(pool::Acquire(SIZE_MAX), std::bad_alloc);
}

TEST(Pool, ServesManyThreads) {
  const int64_t before = pool::Stats().in_use;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 2000; ++i) {
        Buffer* buffer = pool::Acquire(static_cast<size_t>(64 + i % 7 * 100));
        auto* bytes = static_cast<char*>(buffer->bytes());
        bytes[0] = static_cast<char>(t);
        ASSERT_EQ(bytes[0], t);
        pool::Release(buffer);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool::Stats().in_use, before);
}

}  // namespace
}  // namespace heed
