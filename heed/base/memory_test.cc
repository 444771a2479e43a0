#include "heed/base/memory.h"

#include <gtest/gtest.h>

#include <new>
#include <vector>

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
  { const std::vector<char> taken(kBytes, 1); }
  const int64_t after = PeakMemory();
  EXPECT_GE(after, static_cast<int64_t>(kBytes));
  ResetPeakMemory();
  EXPECT_LT(PeakMemory(), after - static_cast<int64_t>(kBytes / 2));
}

}  // namespace
}  // namespace heed
