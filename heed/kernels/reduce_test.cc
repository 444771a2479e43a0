#include "heed/kernels/reduce.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::reduce_test {
namespace {

class Reduce : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Reduce);

const std::vector<std::pair<int64_t, int64_t>> kSizes = {
    {0, 3},  {3, 0},   {1, 1},    {3, 3},    {8, 15},    {9, 17},
    {7, 63}, {15, 65}, {16, 127}, {33, 129}, {300, 1001}};

TEST_P(Reduce, ColumnSumAddsAllRows) {
  Rng rng(1);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const auto& [R, C] : kSizes) {
      const Tensor x = RandomSlice({R, C}, dtype, rng);
      const Tensor start = RandomSlice({1, C}, dtype, rng).Contiguous();
      Tensor sums = start.Clone().Reshape({C});
      ColumnSumTo(sums, x);
      ExpectEach(sums, 1e-5, [&](int64_t, int64_t c) {
        double sum = At(start, 0, c);
        for (int64_t r = 0; r < x.rows(); ++r) sum += At(x, r, c);
        return sum;
      });
    }
  }
}

TEST_P(Reduce, SumsAreExactToDoubleRounding) {
  Rng rng(2);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const auto& [R, C] : kSizes) {
      const Tensor x = RandomSlice({R, C}, dtype, rng).Contiguous();
      double sum = 0;
      for (const double v : x.ToVector<double>()) sum += v;
      EXPECT_NEAR(Sum(x), sum, 1e-10);
      EXPECT_NEAR(SumSquares(x), Dot(x, x), 1e-12 * (1 + Dot(x, x)));
    }
  }
}

TEST_P(Reduce, SquaresOfGreatNumbersDoNotOverflow) {
  EXPECT_NEAR(SumSquares(Tensor::Full({100}, 1e30)), 1e62, 1e55);
}

TEST_P(Reduce, SumsDoNotDependOnThreads) {
  Rng rng(3);
  const Tensor x = RandomSlice({700, 501}, DType::kF32, rng).Contiguous();
  const double many = SumSquares(x);
  const ThreadLimit one(1);
  EXPECT_EQ(SumSquares(x), many);
}

TEST_P(Reduce, AllFiniteFindsOneBadElementAnywhere) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t n : {1, 15, 17, 65, 70000}) {
      const Tensor good = Tensor::Full({n}, -1e38, dtype);
      EXPECT_TRUE(AllFinite(good));
      for (const int64_t at : {int64_t{0}, n / 2, n - 1}) {
        for (const double bad : {std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()}) {
          Tensor x = good.Clone();
          SetAt(x, 0, at, bad);
          EXPECT_FALSE(AllFinite(x)) << bad << " at " << at << " of " << n;
        }
      }
    }
  }
  EXPECT_TRUE(AllFinite(Tensor({0})));
}

}  // namespace
}  // namespace heed::kernels::reduce_test
