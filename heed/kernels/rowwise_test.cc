#include "heed/kernels/rowwise.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "heed/base/at.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::rowwise_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename Body>
void ForSizes(const Body& body) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const auto& [R, C] :
         std::vector<std::pair<int64_t, int64_t>>{{0, 3},
                                                  {1, 1},
                                                  {5, 3},
                                                  {2, 15},
                                                  {3, 17},
                                                  {4, 63},
                                                  {3, 65},
                                                  {2, 127},
                                                  {3, 129},
                                                  {70, 2001}}) {
      SCOPED_TRACE(std::string(Name(dtype)) + " [" + std::to_string(R) + ", " +
                   std::to_string(C) + "]");
      body(Random({R, C}, dtype));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

double LogSumExp(const Tensor& x, int64_t r) {
  double max = At(x, r, 0);
  for (int64_t c = 0; c < x.cols(); ++c) max = std::max(max, At(x, r, c));
  double sum = 0;
  for (int64_t c = 0; c < x.cols(); ++c) sum += std::exp(At(x, r, c) - max);
  return max + std::log(sum);
}

/// f(r) of every row.
template <typename F>
std::vector<double> EachRow(const Tensor& x, const F& f) {
  std::vector<double> values;
  for (int64_t r = 0; r < x.rows(); ++r) values.push_back(f(r));
  return values;
}

/// sum over the columns of x of f(c).
template <typename F>
double RowSum(const Tensor& x, const F& f) {
  double sum = 0;
  for (int64_t c = 0; c < x.cols(); ++c) sum += f(c);
  return sum;
}

class Rowwise : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(Rowwise);

TEST_P(Rowwise, LogSoftmaxIsTheFormula) {
  ForSizes([](const Tensor& x) {
    const auto z = EachRow(x, [&](int64_t r) { return LogSumExp(x, r); });
    const Tensor y = LogSoftmax(x);
    ExpectEach(y, 2e-6,
               [&](int64_t r, int64_t c) { return At(x, r, c) - At(z, r); });
    const Tensor dy = Random(x.shape(), x.dtype(), 2);
    const auto sum = EachRow(x, [&](int64_t r) {
      return RowSum(x, [&](int64_t c) { return At(dy, r, c); });
    });
    ExpectEach(LogSoftmaxGrad(dy, y), 1e-5, [&](int64_t r, int64_t c) {
      return At(dy, r, c) - std::exp(At(y, r, c)) * At(sum, r);
    });
  });
}

TEST_P(Rowwise, LogSoftmaxOfHugeLogitsIsFinite) {
  const Tensor y = LogSoftmax(
      Tensor::Of(std::vector<float>{1e30F, -1e30F, 1e30F, 3}, {2, 2}));
  EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{0, -2e30F, 0, -1e30F}));
}

TEST_P(Rowwise, LogSoftmaxGradientIsThatOfDifferences) {
  Tensor x = Random({3, 7}, DType::kF64);
  const Tensor dy = Random({3, 7}, DType::kF64, 2);
  ExpectGradient(LogSoftmaxGrad(dy, LogSoftmax(x)), x,
                 [&] { return Dot(LogSoftmax(x), dy); });
}

constexpr int32_t kIgnore = -1;

/// Targets; every third row is ignored.
Tensor Targets(int64_t R, int64_t V) {
  Rng rng(7);
  std::vector<int32_t> ids;
  for (int64_t r = 0; r < R; ++r) {
    const auto id = static_cast<int32_t>(rng.Below(static_cast<uint64_t>(V)));
    ids.push_back(r % 3 == 2 ? kIgnore : id);
  }
  return Tensor::Of(ids, {R});
}

TEST_P(Rowwise, CrossEntropyIsTheFormula) {
  ForSizes([](const Tensor& x) {
    const int64_t V = x.cols();
    const Tensor targets = Targets(x.rows(), V);
    const int32_t* target = targets.data<int32_t>();
    const auto log_sum = EachRow(x, [&](int64_t r) { return LogSumExp(x, r); });
    for (const double eps : {0.0, 0.1}) {
      CrossEntropyResult e;
      for (int64_t r = 0; r < x.rows(); ++r) {
        if (target[r] == kIgnore) continue;
        const double z = At(log_sum, r);
        const double nll = z - At(x, r, target[r]);
        const double even =
            RowSum(x, [&](int64_t c) { return z - At(x, r, c); }) / double(V);
        int64_t best = 0;
        for (int64_t c = 1; c < V; ++c) {
          if (At(x, r, c) > At(x, r, best)) best = c;
        }
        e.nll += nll;
        e.loss += (1 - eps) * nll + eps * even;
        e.tokens += 1;
        e.correct += best == target[r] ? 1 : 0;
      }
      Tensor dx(x.shape(), x.dtype());
      for (Tensor* gradient : {static_cast<Tensor*>(nullptr), &dx}) {
        const CrossEntropyResult y =
            CrossEntropy(x, targets, kIgnore, eps, 0.5, gradient);
        const double tolerance = x.dtype() == DType::kF32 ? 2e-6 : 1e-13;
        EXPECT_NEAR(y.loss, e.loss, tolerance * (1 + e.loss));
        EXPECT_NEAR(y.nll, e.nll, tolerance * (1 + e.nll));
        EXPECT_EQ(y.tokens, e.tokens);
        EXPECT_EQ(y.correct, e.correct);
      }
      ExpectEach(dx, 1e-6, [&](int64_t r, int64_t c) {
        if (target[r] == kIgnore) return 0.0;
        const double p = std::exp(At(x, r, c) - At(log_sum, r));
        const double hot = c == target[r] ? 1 - eps : 0;
        return 0.5 * (p - hot - eps / double(V));
      });
    }
  });
}

TEST_P(Rowwise, CrossEntropyGradientIsThatOfDifferencesAndMayBeInPlace) {
  Tensor x = Random({6, 9}, DType::kF64);
  const Tensor targets = Targets(6, 9);
  Tensor dx = x.Clone();
  CrossEntropy(dx, targets, kIgnore, 0.1, 2, &dx);
  ExpectGradient(dx, x, [&] {
    return 2 * CrossEntropy(x, targets, kIgnore, 0.1, 1, nullptr).loss;
  });
}

TEST_P(Rowwise, CrossEntropyOfHugeLogitsIsFinite) {
  const Tensor x =
      Tensor::Of(std::vector<float>{1e4F, -1e4F, 0, -3e38F, 1e4F, 0}, {2, 3});
  const Tensor targets = Tensor::Of(std::vector<int32_t>{0, 2}, {2});
  Tensor dx({2, 3});
  const auto y = CrossEntropy(x, targets, kIgnore, 0, 1, &dx);
  EXPECT_EQ(y.loss, 1e4);
  EXPECT_EQ(y.correct, 1);
  EXPECT_EQ(dx.ToVector<float>(), (std::vector<float>{0, 0, 0, 0, 1, -1}));
}

TEST_P(Rowwise, CorrectCountsTheFirstOfEqualLogits) {
  const Tensor x = Tensor::Zeros({2, 40});
  const Tensor targets = Tensor::Of(std::vector<int32_t>{0, 1}, {2});
  EXPECT_EQ(CrossEntropy(x, targets, kIgnore, 0, 1, nullptr).correct, 1);
}

TEST_P(Rowwise, NaNLogitsGiveNaN) {
  for (const int64_t at : {0, 16, 39}) {
    Tensor x = Tensor::Zeros({1, 40});
    SetAt(x, 0, at, kNaN);
    const Tensor targets = Tensor::Of(std::vector<int32_t>{5}, {1});
    EXPECT_TRUE(
        std::isnan(CrossEntropy(x, targets, kIgnore, 0, 1, nullptr).loss));
    for (const float y : LogSoftmax(x).ToVector<float>()) {
      EXPECT_TRUE(std::isnan(y));
    }
  }
}

constexpr double kEps = 1e-3;

TEST_P(Rowwise, LayerNormIsTheFormula) {
  ForSizes([](const Tensor& x) {
    const int64_t C = x.cols();
    const Tensor gain = Random({1, C}, x.dtype(), 2).Reshape({C});
    const Tensor bias = Random({1, C}, x.dtype(), 3).Reshape({C});
    Tensor mean;
    Tensor inv_std;
    const Tensor y = LayerNorm(x, gain, bias, kEps, &mean, &inv_std);
    std::vector<double> mu;
    std::vector<double> inv;
    for (int64_t r = 0; r < x.rows(); ++r) {
      mu.push_back(RowSum(x, [&](int64_t c) { return At(x, r, c); }) /
                   double(C));
      const double var = RowSum(x,
                                [&](int64_t c) {
                                  return std::pow(At(x, r, c) - mu.back(), 2);
                                }) /
                         double(C);
      inv.push_back(1 / std::sqrt(var + kEps));
      const double tolerance = x.dtype() == DType::kF32 ? 2e-6 : 1e-13;
      EXPECT_NEAR(At(mean, 0, r), mu.back(), tolerance);
      EXPECT_NEAR(At(inv_std, 0, r), inv.back(), tolerance * inv.back());
    }
    ExpectEach(y, 1e-5, [&](int64_t r, int64_t c) {
      const auto i = static_cast<size_t>(r);
      return At(gain, 0, c) * (At(x, r, c) - mu[i]) * inv[i] + At(bias, 0, c);
    });
  });
}

TEST_P(Rowwise, LayerNormGradientsAreThoseOfDifferences) {
  for (const int64_t C : {2, 7, 19}) {
    Tensor x = Random({3, C}, DType::kF64);
    Tensor gain = Random({1, C}, DType::kF64, 2).Reshape({C});
    Tensor bias = Random({1, C}, DType::kF64, 3).Reshape({C});
    const Tensor dy = Random({3, C}, DType::kF64, 4);
    Tensor mean;
    Tensor inv_std;
    LayerNorm(x, gain, bias, kEps, &mean, &inv_std);
    Tensor dgain = Tensor::Zeros({C}, DType::kF64);
    Tensor dbias = Tensor::Zeros({C}, DType::kF64);
    const Tensor dx = LayerNormGrad(dy, x, gain, mean, inv_std, dgain, dbias);
    Tensor m;
    Tensor s;
    const auto loss = [&] {
      return Dot(LayerNorm(x, gain, bias, kEps, &m, &s), dy);
    };
    if (C > 2) ExpectGradient(dx, x, loss);
    ExpectGradient(dgain, gain, loss);
    ExpectGradient(dbias, bias, loss);
  }
}

TEST_P(Rowwise, LayerNormGradAccumulatesAndAgreesWithF64) {
  ForSizes([](const Tensor& x) {
    const int64_t C = x.cols();
    const auto gradients = [&](DType dtype, std::vector<Tensor>& out) {
      const Tensor gain = Random({1, C}, x.dtype(), 2).Reshape({C}).To(dtype);
      const Tensor dy = Random(x.shape(), x.dtype(), 3).To(dtype);
      Tensor mean;
      Tensor inv_std;
      LayerNorm(x.To(dtype), gain, gain, kEps, &mean, &inv_std);
      Tensor dgain = Tensor::Full({C}, 2, dtype);
      Tensor dbias = Tensor::Full({C}, -2, dtype);
      out = {LayerNormGrad(dy, x.To(dtype), gain, mean, inv_std, dgain, dbias),
             dgain, dbias};
    };
    std::vector<Tensor> actual;
    std::vector<Tensor> expected;
    gradients(x.dtype(), actual);
    gradients(DType::kF64, expected);
    // In a row of one or few columns x - mean cancels.
    for (size_t k = 0; k < actual.size(); ++k) {
      ExpectEach(actual[k], 3e-5,
                 [&](int64_t r, int64_t c) { return At(expected[k], r, c); });
    }
    const Tensor dy = Random(x.shape(), x.dtype(), 3);
    ExpectEach(actual[2], 1e-5, [&](int64_t, int64_t c) {
      double sum = -2;
      for (int64_t r = 0; r < x.rows(); ++r) sum += At(dy, r, c);
      return sum;
    });
  });
}

TEST_P(Rowwise, NormalizedRowsHaveLengthOne) {
  ForSizes([](const Tensor& x) {
    Tensor inv_norm;
    const Tensor y = NormalizeRows(x, kEps, &inv_norm);
    const Tensor dy = Random(x.shape(), x.dtype(), 2);
    const Tensor dx = NormalizeRowsGrad(dy, y, inv_norm);
    const auto inv = EachRow(x, [&](int64_t r) {
      return 1 / std::sqrt(kEps + RowSum(x, [&](int64_t c) {
                             return At(x, r, c) * At(x, r, c);
                           }));
    });
    const auto dot = EachRow(x, [&](int64_t r) {
      return RowSum(x, [&](int64_t c) { return At(dy, r, c) * At(x, r, c); });
    });
    ExpectEach(y, 2e-6,
               [&](int64_t r, int64_t c) { return At(x, r, c) * At(inv, r); });
    ExpectEach(dx, 1e-5, [&](int64_t r, int64_t c) {
      const auto i = static_cast<size_t>(r);
      return (At(dy, r, c) - At(x, r, c) * dot[i] * inv[i] * inv[i]) * inv[i];
    });
  });
}

TEST_P(Rowwise, NormalizeRowsGradientIsThatOfDifferences) {
  Tensor x = Random({3, 9}, DType::kF64);
  const Tensor dy = Random({3, 9}, DType::kF64, 2);
  Tensor inv_norm;
  const Tensor y = NormalizeRows(x, kEps, &inv_norm);
  Tensor other;
  ExpectGradient(NormalizeRowsGrad(dy, y, inv_norm), x,
                 [&] { return Dot(NormalizeRows(x, kEps, &other), dy); });
}

TEST_P(Rowwise, RowsOfZerosStayZero) {
  Tensor inv_norm;
  const Tensor x = Tensor::Zeros({2, 20});
  EXPECT_EQ(NormalizeRows(x, 1e-12, &inv_norm).ToVector<float>(),
            x.ToVector<float>());
}

}  // namespace
}  // namespace heed::kernels::rowwise_test
