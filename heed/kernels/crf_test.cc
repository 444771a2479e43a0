#include "heed/kernels/crf.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "heed/base/at.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::crf_test {
namespace {

constexpr int64_t B = 6;
constexpr int64_t T = 4;

CrfScores RandomScores(int64_t C, DType dtype, Rng& rng) {
  const auto random = [&](const Shape& shape) {
    return RandomSlice(shape, dtype, rng).Contiguous();
  };
  return {random({B, T, C}), random({C, C}), random({C}), random({C})};
}

Tensor RandomTags(int64_t C, Rng& rng) {
  Tensor tags({B, T}, DType::kI32);
  for (int64_t i = 0; i < tags.numel(); ++i) {
    tags.data<int32_t>()[i] =
        static_cast<int32_t>(rng.Below(static_cast<uint64_t>(C)));
  }
  return tags;
}

const std::vector<int32_t> kLengths = {4, 1, 0, 3, 2, 4};

using Row = std::vector<double>;

/// One step in double: log Σ (kSum) or max over the previous tags.
template <bool kSum>
Row Step(const CrfScores& x, const Row& before, int64_t b, int64_t t) {
  Row after(before.size());
  for (size_t j = 0; j < after.size(); ++j) {
    double max = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < before.size(); ++i) {
      const double v = before[i] + At(x.transitions, static_cast<int64_t>(i),
                                      static_cast<int64_t>(j));
      max = std::max(max, v);
      sum += std::exp(v);
    }
    after[j] = (kSum ? std::log(sum) : max) +
               At(x.emissions[b], t, static_cast<int64_t>(j));
  }
  return after;
}

/// log Σ over all paths of exp(score), or the largest score.
template <bool kSum>
double Total(const CrfScores& x, int64_t b) {
  const int32_t n = At(kLengths, b);
  if (n == 0) return 0;
  Row row(static_cast<size_t>(x.start.numel()));
  for (size_t j = 0; j < row.size(); ++j) {
    const auto c = static_cast<int64_t>(j);
    row[j] = At(x.start, 0, c) + At(x.emissions[b], 0, c);
  }
  for (int64_t t = 1; t < n; ++t) row = Step<kSum>(x, row, b, t);
  double max = -INFINITY;
  double sum = 0;
  for (size_t j = 0; j < row.size(); ++j) {
    const double v = row[j] + At(x.end, 0, static_cast<int64_t>(j));
    max = std::max(max, v);
    sum += std::exp(v);
  }
  return kSum ? std::log(sum) : max;
}

double ScoreOf(const CrfScores& x, const Tensor& tags, int64_t b) {
  const int32_t n = At(kLengths, b);
  if (n == 0) return 0;
  const int32_t* y = tags.row<int32_t>(b);
  double score = At(x.start, 0, y[0]) + At(x.end, 0, y[n - 1]);
  for (int64_t t = 0; t < n; ++t) {
    score += At(x.emissions[b], t, y[t]);
    if (t > 0) score += At(x.transitions, y[t - 1], y[t]);
  }
  return score;
}

void ExpectGradients(const CrfScores& gradient, CrfScores& x,
                     const std::function<double()>& loss) {
  ExpectGradient(gradient.emissions, x.emissions, loss);
  ExpectGradient(gradient.transitions, x.transitions, loss);
  ExpectGradient(gradient.start, x.start, loss);
  ExpectGradient(gradient.end, x.end, loss);
}

class CrfKernel : public hwy::TestWithParamTarget {
 protected:
  const Tensor lengths_ = Tensor::Of(kLengths, {B});
};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(CrfKernel);

TEST_P(CrfKernel, LossIsThatOfOneStepByOne) {
  Rng rng(1);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t C : {1, 3, 15, 17, 33}) {
      const CrfScores x = RandomScores(C, dtype, rng);
      const Tensor tags = RandomTags(C, rng);
      double loss = 0;
      for (int64_t b = 0; b < B; ++b) {
        loss += Total<true>(x, b) - ScoreOf(x, tags, b);
      }
      EXPECT_NEAR(CrfLoss(x, tags, lengths_, nullptr), loss,
                  dtype == DType::kF32 ? 2e-5 : 1e-12);
    }
  }
}

TEST_P(CrfKernel, GradientIsThatOfDifferences) {
  Rng rng(2);
  for (const int64_t C : {1, 3, 9}) {
    CrfScores x = RandomScores(C, DType::kF64, rng);
    const Tensor tags = RandomTags(C, rng);
    CrfScores gradient;
    CrfLoss(x, tags, lengths_, &gradient);
    const auto loss = [&] { return CrfLoss(x, tags, lengths_, nullptr); };
    ExpectGradients(gradient, x, loss);
  }
}

TEST_P(CrfKernel, LogPartitionIsThatOfOneStepByOne) {
  Rng rng(4);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t C : {1, 3, 15, 17, 33}) {
      const CrfScores x = RandomScores(C, dtype, rng);
      const Tensor sums = CrfLogPartition(x, lengths_);
      for (int64_t b = 0; b < B; ++b) {
        EXPECT_NEAR(At(sums, 0, b), Total<true>(x, b),
                    dtype == DType::kF32 ? 1e-5 : 1e-12);
      }
    }
  }
}

TEST_P(CrfKernel, GradientOfLogPartitionsIsThatOfDifferences) {
  Rng rng(5);
  CrfScores x = RandomScores(3, DType::kF64, rng);
  const Tensor dy = RandomSlice({B}, DType::kF64, rng).Contiguous();
  const CrfScores gradient = CrfLogPartitionGradient(x, lengths_, dy);
  const auto loss = [&] {
    const Tensor sums = CrfLogPartition(x, lengths_);
    double total = 0;
    for (int64_t b = 0; b < B; ++b) total += At(dy, 0, b) * At(sums, 0, b);
    return total;
  };
  ExpectGradients(gradient, x, loss);
}

TEST_P(CrfKernel, BestPathsHaveTheGreatestScore) {
  Rng rng(3);
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t C : {1, 3, 15, 17, 33}) {
      const CrfScores x = RandomScores(C, dtype, rng);
      const Tensor paths = CrfBestPaths(x, lengths_);
      for (int64_t b = 0; b < B; ++b) {
        EXPECT_NEAR(ScoreOf(x, paths, b), Total<false>(x, b),
                    dtype == DType::kF32 ? 1e-5 : 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace heed::kernels::crf_test
