#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <array>

// Only the compiler's default instruction set: one copy of the code.
#include "heed/kernels/cpu/random-inl.h"

namespace heed::kernels::random_test {
namespace {

TEST(DropoutSpan, ContinuesBeyondFourBillionElements) {
  constexpr int64_t kHalf = int64_t{1} << 32;
  constexpr int64_t kBefore = 37;
  std::array<float, 2 * kBefore> x;
  x.fill(1);
  std::array<float, 2 * kBefore> whole;
  std::array<float, 2 * kBefore> parts;
  std::array<float, kBefore> start;
  const auto drop = [&](int64_t first, int64_t n, float* y) {
    HWY_NAMESPACE::DropoutSpan(first, n, 0.5, 9, x.data(), y);
  };
  drop(kHalf - kBefore, 2 * kBefore, whole.data());
  drop(kHalf - kBefore, kBefore, parts.data());
  drop(kHalf, kBefore, parts.data() + kBefore);
  EXPECT_EQ(whole, parts);
  drop(0, kBefore, start.data());
  EXPECT_FALSE(std::equal(start.begin(), start.end(), whole.begin() + kBefore));
}

}  // namespace
}  // namespace heed::kernels::random_test
