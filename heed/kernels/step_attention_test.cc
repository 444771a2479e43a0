#include "heed/kernels/step_attention.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <vector>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::step_attention_test {
namespace {

struct Sizes {
  int64_t heads, key_heads, features;
};

const std::vector<Sizes>& AllSizes() {
  static const std::vector<Sizes> sizes = {{1, 1, 1},  {1, 1, 3},  {3, 3, 17},
                                           {4, 2, 16}, {2, 1, 10}, {8, 8, 64},
                                           {2, 2, 80}};
  return sizes;
}

/// Keys and values that a row attends to, as f32.
using Looks = std::vector<Tensor>;  // [2 K D] each

/// Reference in f64.
std::vector<double> Expected(const Sizes& n, double scale, const float* q,
                             const Looks& looks, std::vector<double>* mean) {
  const int64_t D = n.features;
  std::vector<double> context(static_cast<size_t>(n.heads * D));
  mean->assign(looks.size(), 0);
  for (int64_t h = 0; h < n.heads; ++h) {
    const int64_t k = h / (n.heads / n.key_heads);
    std::vector<double> weights;
    double sum = 0;
    for (const Tensor& look : looks) {
      double score = 0;
      for (int64_t i = 0; i < D; ++i) {
        score += double{q[h * D + i]} * double{look.data<float>()[k * D + i]};
      }
      weights.push_back(std::exp(scale * score));
      sum += weights.back();
    }
    for (size_t s = 0; s < looks.size(); ++s) {
      const float* values = looks[s].data<float>() + (n.key_heads + k) * D;
      (*mean)[s] += weights[s] / sum / static_cast<double>(n.heads);
      for (int64_t i = 0; i < D; ++i) {
        At(context, h * D + i) += weights[s] / sum * double{values[i]};
      }
    }
  }
  return context;
}

void ExpectRow(const Sizes& n, const StepQueries& queries, int64_t r,
               const Looks& looks, const Tensor& context,
               const Tensor* weights) {
  std::vector<double> mean;
  const std::vector<double> expected =
      Expected(n, queries.scale, queries.q.row<float>(r), looks, &mean);
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(context.row<float>(r)[i], expected[i], 5e-6) << "row " << r;
  }
  for (int64_t s = 0; weights != nullptr && s < weights->dim(1); ++s) {
    const auto i = static_cast<size_t>(s);
    ASSERT_NEAR(weights->row<float>(r)[s], i < mean.size() ? mean[i] : 0, 1e-6);
  }
}

/// x rounded to `dtype`.
Tensor Stored(const Tensor& x, DType dtype) { return x.To(dtype); }
Tensor AsFloat(const Tensor& x) { return x.To(DType::kF32); }

class StepAttention : public hwy::TestWithParamTarget {
 protected:
  StepQueries Queries(const Sizes& n, int64_t rows) {
    return {RandomSlice({rows, n.heads * n.features}, DType::kF32, rng_),
            n.heads, n.key_heads, 0.2};
  }
  Rng rng_{1};
};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(StepAttention);

TEST_P(StepAttention, OverPositionsIsTheFormula) {
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    for (const Sizes& n : AllSizes()) {
      for (const int64_t N : {1, 2, 3, 17, 40}) {
        const int64_t R = N == 40 ? 33 : 3;
        const int64_t stood = 4;  // rows of earlier steps
        const StepQueries queries = Queries(n, R);
        std::vector<Tensor> positions;
        Tensor slots({R, N + 2}, DType::kI32);
        for (int64_t s = 0; s < N; ++s) {
          positions.push_back(
              Stored(RandomSlice({stood, 2 * n.key_heads * n.features},
                                 DType::kF32, rng_),
                     dtype));
          for (int64_t r = 0; r < R; ++r) {
            slots.row<int32_t>(r)[s] = static_cast<int32_t>(rng_.Below(stood));
          }
        }
        const Tensor context = AttendPositions(queries, positions, slots);
        ASSERT_EQ(context.shape(), (Shape{R, n.heads * n.features}));
        for (int64_t r = 0; r < R; ++r) {
          Looks looks;
          for (int64_t s = 0; s < N; ++s) {
            looks.push_back(
                AsFloat(At(positions, s)[slots.row<int32_t>(r)[s]]));
          }
          ExpectRow(n, queries, r, looks, context, nullptr);
        }
      }
    }
  }
}

TEST_P(StepAttention, OverASourceIsTheFormula) {
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    for (const Sizes& n : AllSizes()) {
      const int64_t S = 19;
      const Tensor source = Stored(
          RandomSlice({4, S, 2 * n.key_heads * n.features}, DType::kF32, rng_),
          dtype);
      const Tensor lengths =
          Tensor::Of(std::vector<int32_t>{19, 1, 7, 18}, {4});
      const std::vector<int32_t> kept = {0, 2, 3};
      const Tensor sources = Tensor::Of(kept, {3});
      const StepQueries queries = Queries(n, 6);
      Tensor weights;
      const Tensor context =
          AttendSource(queries, source, lengths, sources, &weights);
      ASSERT_EQ(weights.shape(), (Shape{6, S}));
      for (int64_t r = 0; r < 6; ++r) {
        const int32_t b = At(kept, r / 2);
        Looks looks;
        for (int64_t s = 0; s < lengths.data<int32_t>()[b]; ++s) {
          looks.push_back(AsFloat(source[b][s]));
        }
        ExpectRow(n, queries, r, looks, context, &weights);
      }
      EXPECT_EQ(AttendSource(queries, source, lengths, sources, nullptr)
                    .ToVector<float>(),
                context.ToVector<float>());
      // The mean of the weights of single heads is the mean of all heads.
      std::vector<double> sums(static_cast<size_t>(weights.numel()));
      for (int64_t h = 0; h < n.heads; ++h) {
        Tensor own;
        AttendSource(queries, source, lengths, sources, &own, h);
        for (size_t i = 0; i < sums.size(); ++i) {
          sums[i] += own.data<float>()[i];
        }
      }
      for (size_t i = 0; i < sums.size(); ++i) {
        ASSERT_NEAR(sums[i] / static_cast<double>(n.heads),
                    weights.data<float>()[i], 1e-6);
      }
    }
  }
}

TEST_P(StepAttention, AnEmptySourceGivesZeros) {
  const Sizes n = {2, 2, 16};
  const StepQueries queries = Queries(n, 2);
  const Tensor source = RandomSlice({1, 3, 64}, DType::kF32, rng_);
  Tensor weights;
  const Tensor context =
      AttendSource(queries, source, Tensor::Of(std::vector<int32_t>{0}, {1}),
                   Tensor::Of(std::vector<int32_t>{0}, {1}), &weights);
  EXPECT_EQ(context.ToVector<float>(), std::vector<float>(64, 0));
  EXPECT_EQ(weights.ToVector<float>(), std::vector<float>(6, 0));
}

TEST_P(StepAttention, IsTheSameForAnyNumberOfThreads) {
  const Sizes n = {8, 8, 64};
  const StepQueries queries = Queries(n, 64);
  const Tensor source = RandomSlice({64, 30, 1024}, DType::kF32, rng_);
  const Tensor lengths = Tensor::Full({64}, 30, DType::kI32);
  std::vector<int32_t> all(64);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return AttendSource(queries, source, lengths, Tensor::Of(all, {64}),
                        nullptr)
        .ToVector<float>();
  };
  EXPECT_EQ(run(1), run(3));
}

}  // namespace
}  // namespace heed::kernels::step_attention_test
