#include "heed/nn/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/autograd/testing.h"
#include "heed/base/testing.h"
#include "heed/ops/elementwise.h"

namespace heed::pooling_test {
namespace {

constexpr int64_t B = 3;
constexpr int64_t S = 5;
constexpr int64_t M = 6;

struct Pool {
  explicit Pool(const std::string& kind, int64_t heads = 1,
                DType dtype = DType::kF64)
      : parameters(3, dtype, kernels::Precision::kNative),
        pooling(Scope(parameters, "pooling"),
                {.kind = kind, .features = M, .heads = heads, .init = {}}) {}

  Tensor Of(const Tensor& x, const Tensor& lengths) const {
    return pooling({}, x, lengths).value();
  }

  ParameterSet parameters;
  Pooling pooling;
};

class PoolingOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, PoolingOf,
                         testing::ValuesIn(Named<PoolingKind>::Words()),
                         [](const auto& info) { return info.param; });

TEST_P(PoolingOf, DoesNotSeeWhatIsBehindTheLength) {
  const Pool pool(GetParam());
  const Tensor lengths = Lengths({5, 2, 1});
  Tensor x = RandomTensor({B, S, M}, 1);
  const Tensor before = pool.Of(x, lengths);
  EXPECT_EQ(before.shape(), (Shape{B, M}));
  for (int64_t m = 0; m < M; ++m) {
    x.row<double>(1 * S + 2)[m] = 7;
    x.row<double>(2 * S + 1)[m] = -7;
  }
  EXPECT_EQ(MaxDifference(pool.Of(x, lengths), before), 0);
  x.row<double>(2 * S)[0] += 1;
  EXPECT_GT(MaxDifference(pool.Of(x, lengths), before), 0.1);
}

TEST_P(PoolingOf, OfOneVectorIsThatVector) {
  const Tensor x = RandomTensor({B, 1, M}, 1);
  const Tensor y = Pool(GetParam(), 2).Of(x, Lengths({1, 1, 1}));
  EXPECT_LT(MaxDifference(y, x.Reshape({B, M})), 1e-15);
}

TEST_P(PoolingOf, OfNothingIsZeros) {
  const Pool pool(GetParam());
  const Tensor y = pool.Of(RandomTensor({B, S, M}, 1), Lengths({0, 3, 0}));
  EXPECT_EQ(MaxDifference(y[0], Tensor::Zeros({M}, DType::kF64)), 0);
  EXPECT_GT(MaxDifference(y[1], Tensor::Zeros({M}, DType::kF64)), 0.01);
}

TEST_P(PoolingOf, HasTheGradientOfDifferences) {
  Pool pool(GetParam(), 2);
  const Tensor lengths = Lengths({5, 0, 2});
  ExpectGradientOf(
      [&](std::span<const Var> in) { return pool.pooling({}, in[0], lengths); },
      {RandomTensor({B, S, M}, 1)});
  std::vector<Parameter*> parameters;
  for (const auto& parameter : pool.parameters.all()) {
    parameters.push_back(parameter.get());
  }
  if (parameters.empty()) return;
  const Tensor x = RandomTensor({B, S, M}, 1);
  const auto loss = [&](Tape* tape) {
    Context ctx;
    ctx.tape = tape;
    const Var y = pool.pooling(ctx, x, lengths);
    return Sum(Mul(y, y));
  };
  EXPECT_LT(CheckParameterGradient(loss, parameters).worst, 1e-6);
}

TEST_P(PoolingOf, F32IsF64Rounded) {
  const Tensor x = RandomTensor({B, S, M}, 1);
  const Tensor lengths = Lengths({5, 2, 1});
  EXPECT_LT(MaxDifference(
                Pool(GetParam(), 1, DType::kF32).Of(x.To(DType::kF32), lengths),
                Pool(GetParam()).Of(x, lengths)),
            1e-6);
}

TEST(Pooling, TakesTheFirstTheLastOrTheMean) {
  const Tensor x = RandomTensor({B, S, M}, 1);
  const Tensor lengths = Lengths({5, 3, 1});
  const Tensor first = Pool("cls").Of(x, lengths);
  const Tensor last = Pool("last").Of(x, lengths);
  const Tensor mean = Pool("mean").Of(x, lengths);
  EXPECT_LT(MaxDifference(first[1], x[1][0]), 1e-15);
  EXPECT_LT(MaxDifference(last[0], x[0][4]), 1e-15);
  EXPECT_LT(MaxDifference(last[1], x[1][2]), 1e-15);
  EXPECT_NEAR(kernels::At(mean, 1, 2),
              (kernels::At(x, S, 2) + kernels::At(x, S + 1, 2) +
               kernels::At(x, S + 2, 2)) /
                  3,
              1e-15);
}

TEST(Pooling, AttentionIsTheSumByTheObservedWeights) {
  const Pool pool("attention", 2);
  const Tensor x = RandomTensor({B, S, M}, 1);
  AttentionWatch watch;
  Context ctx;
  ctx.observer = &watch;
  const Tensor y = pool.pooling(ctx, x, Lengths({5, 3, 1})).value();
  ASSERT_EQ(watch.seen.size(), 1u);
  EXPECT_EQ(watch.seen[0].info.path, "pooling");
  EXPECT_EQ(watch.seen[0].info.query_axis, "answer");
  EXPECT_EQ(watch.seen[0].info.key_axis, "source");
  EXPECT_EQ(watch.seen[0].step, 0);
  const Tensor weights = watch.seen[0].weights.value();
  ASSERT_EQ(weights.shape(), (Shape{B, 2, 1, S}));
  for (int64_t m = 0; m < M; ++m) {
    const double* a = weights[1][m < M / 2 ? 0 : 1].row<double>(0);
    double sum = 0;
    for (int64_t s = 0; s < S; ++s) sum += a[s] * kernels::At(x, S + s, m);
    EXPECT_NEAR(kernels::At(y, 1, m), sum, 1e-14);
    EXPECT_NEAR(a[0] + a[1] + a[2], 1, 1e-14);
    EXPECT_NE(a[0], a[1]);
  }
}

TEST(Pooling, RefusesUnknownKindsAndHeadsThatDoNotDivide) {
  EXPECT_NE(MessageOf<ConfigError>([] {
              Pool pool("sum");
            }).find("is not one of cls, mean, max, last, attention"),
            std::string::npos);
  EXPECT_THROW(Pool("attention", 4), ConfigError);
}

TEST(Pooling, RefusesLengthsThatDoNotFit) {
  ExpectShapeError(
      [] {
        Pool("mean").Of(RandomTensor({B, S, M}, 1), Lengths({6, 1, 1}));
      },
      {"pooling"});
  ExpectShapeError(
      [] {
        Pool("cls").Of(RandomTensor({S, M}, 1), Lengths({1}));
      },
      {"pooling", "[5, 6]"});
}

}  // namespace
}  // namespace heed::pooling_test
