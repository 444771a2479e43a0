#include "heed/base/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace heed {
namespace {

TEST(Rng, ContinuesFromSeedAndPosition) {
  Rng rng(42);
  for (int i = 0; i < 100; ++i) rng.Next();
  Rng resumed(rng.seed(), rng.position());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.Next(), resumed.Next());
}

TEST(Rng, DiffersBetweenSeeds) {
  Rng a(1);
  Rng b(2);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) equal += a.Next() == b.Next() ? 1 : 0;
  EXPECT_EQ(equal, 0);
}

TEST(Rng, NeighbouringSeedsGiveUncorrelatedStreams) {
  constexpr int kCount = 20000;
  Rng a(1);
  Rng b(2);
  double product = 0;
  for (int i = 0; i < kCount; ++i)
    product += a.Uniform(-1, 1) * b.Uniform(-1, 1);
  EXPECT_NEAR(product / kCount, 0, 5 / (3 * std::sqrt(kCount)));
}

TEST(Rng, UniformFillsTheUnitIntervalEvenly) {
  constexpr int kCount = 100000;
  Rng rng(3);
  std::vector<int> bins(10);
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.Uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++bins[static_cast<size_t>(10 * x)];
  }
  for (const int count : bins) EXPECT_NEAR(count, kCount / 10, 500);
}

TEST(Rng, UniformStaysBetweenItsBounds) {
  Rng rng(4);
  for (int i = 0; i < 1000; ++i) {
    const double x = rng.Uniform(-3, -2);
    ASSERT_GE(x, -3);
    ASSERT_LT(x, -2);
  }
}

TEST(Rng, BelowGivesEveryValueEquallyOften) {
  Rng rng(5);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts.at(rng.Below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(rng.Below(1), 0U);
}

TEST(Rng, NormalHasMeanZeroAndVarianceOne) {
  constexpr int kCount = 100000;
  Rng rng(6);
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.Normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.03);
  EXPECT_NEAR(fourth / kCount, 3, 0.2);
}

}  // namespace
}  // namespace heed
