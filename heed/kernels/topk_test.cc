#include "heed/kernels/topk.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "heed/base/at.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::topk_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class TopKTest : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(TopKTest);

Tensor RandomScores(const Shape& shape, DType dtype) {
  Rng rng(1);
  return RandomSlice(shape, dtype, rng);
}

/// Columns of row r in the order of TopK.
std::vector<int32_t> Ranking(const Tensor& x, int64_t r) {
  std::vector<int32_t> ids(static_cast<size_t>(x.cols()));
  std::iota(ids.begin(), ids.end(), 0);
  std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    const double va = At(x, r, a);
    const double vb = At(x, r, b);
    return std::isnan(vb) ? !std::isnan(va) : va > vb;
  });
  return ids;
}

void ExpectTopK(const Tensor& x, int k) {
  Tensor values;
  Tensor ids;
  TopK(x, k, values, ids, nullptr);
  ASSERT_EQ(values.shape(), (Shape{x.rows(), k}));
  ASSERT_EQ(ids.shape(), (Shape{x.rows(), k}));
  for (int64_t r = 0; r < x.rows(); ++r) {
    const auto expected = Ranking(x, r);
    for (int i = 0; i < k; ++i) {
      const int32_t id = At(expected, i);
      ASSERT_EQ(ids.row<int32_t>(r)[i], id) << "row " << r << ", place " << i;
      const double v = At(x, r, id);
      ASSERT_TRUE(At(values, r, i) == v || std::isnan(v));
    }
  }
}

TEST_P(TopKTest, SortsTheGreatest) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t V : {1, 3, 15, 17, 65, 129, 1024, 1025, 5000}) {
      const Tensor x = RandomScores({V > 1000 ? 70 : 3, V}, dtype);
      for (const int k : {1, 2, 5, 16, 40}) {
        if (k <= V) ExpectTopK(x, k);
      }
    }
  }
  ExpectTopK(Tensor({0, 7}), 3);
}

double LogSumExp(const Tensor& x, int64_t r) {
  double max = At(x, r, 0);
  for (int64_t c = 0; c < x.cols(); ++c) max = std::max(max, At(x, r, c));
  double sum = 0;
  for (int64_t c = 0; c < x.cols(); ++c) sum += std::exp(At(x, r, c) - max);
  return max + std::log(sum);
}

double LogSumOf(const Tensor& x, int64_t r = 0) {
  Tensor values, ids, log_sum;
  TopK(x, 1, values, ids, &log_sum);
  return log_sum.data<double>()[r];
}

TEST_P(TopKTest, LogSumIsTheFormula) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t V : {1, 3, 17, 129, 1024, 1025, 32000}) {
      Tensor x = RandomScores({3, V}, dtype);
      for (int64_t c = 0; c < V; ++c) {
        SetAt(x, 1, c, 1000 * At(x, 1, c));  // exp would overflow
        SetAt(x, 2, c, 0.01 * double(c));  // each block above all earlier ones
      }
      for (int64_t r = 0; r < 3; ++r) {
        const double expected = LogSumExp(x, r);
        EXPECT_NEAR(LogSumOf(x, r), expected,
                    (dtype == DType::kF32 ? 1e-6 : 1e-14) *
                        std::max(1.0, std::abs(expected)))
            << V << " columns, row " << r;
      }
    }
  }
}

TEST_P(TopKTest, PartsGiveWhatTheWholeGives) {
  Rng rng(8);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t V : {7, 130, 3000}) {
      const Tensor x = RandomScores({5, V}, dtype);
      for (const int k : {1, 4, 7}) {
        Tensor values, ids, log_sums;
        TopK(x, k, values, ids, &log_sums);
        RunningTopK top(5, k, dtype, true);
        for (int64_t c = 0; c < V;) {
          const auto max = static_cast<uint64_t>(std::min<int64_t>(V - c, 999));
          const auto n = static_cast<int64_t>(1 + rng.Below(max));
          top.Add(x.Columns(c, c + n));
          c += n;
        }
        EXPECT_EQ(top.values().ToVector<double>(), values.ToVector<double>());
        EXPECT_EQ(top.ids().ToVector<int32_t>(), ids.ToVector<int32_t>());
        for (int64_t r = 0; r < 5; ++r) {
          EXPECT_NEAR(top.LogSums().data<double>()[r],
                      log_sums.data<double>()[r],
                      dtype == DType::kF32 ? 1e-5 : 1e-12);
        }
      }
    }
  }
}

TEST_P(TopKTest, LogSumTellsOfWhatIsNotFinite) {
  for (const double bad : {kNaN, kInfinity}) {
    for (const int64_t at : {0, 700, 1500, 1999}) {
      Tensor x = RandomScores({1, 2000}, DType::kF32);
      SetAt(x, 0, at, bad);
      EXPECT_FALSE(std::isfinite(LogSumOf(x))) << bad << " at " << at;
    }
  }
  EXPECT_FALSE(std::isfinite(LogSumOf(Tensor::Full({1, 50}, -kInfinity))));
  Tensor x = Tensor::Full({1, 5000}, -kInfinity);
  SetAt(x, 0, 4000, 3);
  EXPECT_EQ(LogSumOf(x), 3);
}

TEST_P(TopKTest, TakesTheLowerOfEqualColumns) {
  Rng rng(5);
  Tensor x({6, 300});
  for (int64_t r = 0; r < 6; ++r) {
    for (int64_t c = 0; c < 300; ++c) SetAt(x, r, c, double(rng.Below(5)));
  }
  for (const int k : {1, 3, 16, 300}) ExpectTopK(x, k);
}

TEST_P(TopKTest, PutsNaNLast) {
  Rng rng(6);
  for (const double part : {0.1, 0.9, 1.0}) {
    Tensor x = RandomScores({8, 1130}, DType::kF32);
    for (int64_t r = 0; r < 8; ++r) {
      for (int64_t c = 0; c < 1130; ++c) {
        if (rng.Uniform() < part) SetAt(x, r, c, kNaN);
        if (rng.Uniform() < 0.05) {
          SetAt(x, r, c, -kInfinity);
        }
      }
    }
    for (const int k : {1, 5, 20}) ExpectTopK(x, k);
  }
}

TEST_P(TopKTest, TakesTheLastOfAscendingRows) {
  Tensor x({1, 500});
  for (int64_t c = 0; c < 500; ++c) SetAt(x, 0, c, double(c));
  ExpectTopK(x, 12);
}

}  // namespace
}  // namespace heed::kernels::topk_test
