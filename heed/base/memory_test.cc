#include "heed/base/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <new>

namespace heed {
namespace {

TEST(RequireMemory, ThrowsForMoreThanThereIs) {
  EXPECT_NO_THROW(RequireMemory(1 << 20));
  EXPECT_THROW(RequireMemory(size_t{1} << 60), std::bad_alloc);
}

TEST(PeakMemory, CountsWhatWasTakenAndGivenBack) {
  constexpr size_t kBytes = size_t{64} << 20;
  const int64_t before = PeakMemory();
  ASSERT_GT(before, 0);
  // mmap, because a sanitizer keeps freed heap memory.
  void* taken = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(taken, MAP_FAILED);
  std::memset(taken, 1, kBytes);
  ASSERT_EQ(munmap(taken, kBytes), 0);
  const int64_t after = PeakMemory();
  EXPECT_GE(after, static_cast<int64_t>(kBytes));
  ResetPeakMemory();
  EXPECT_LT(PeakMemory(), after - static_cast<int64_t>(kBytes / 2));
}

}  // namespace
}  // namespace heed
