#include "heed/explain/attribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/explain/faithfulness.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr int64_t kTokens = 4;
constexpr int64_t kFeatures = 3;
constexpr int64_t kClasses = 2;
constexpr int64_t kPlanted = 2;  // the decisive token

/// log softmax(W Σ_s g_s tanh(x_s)) of two classes. The weight g_s of the
/// planted token is large, the weights of the others are small.
Explainable PlantedAnswer(DType dtype) {
  Explainable answer;
  answer.tokens = kTokens;
  answer.targets = kClasses;
  answer.scores = [dtype](const Context& ctx, int64_t copies) {
    std::vector<double> x;  // [copies, S, M]
    const auto element = [](int64_t s, int64_t m) {
      return 0.3 + 0.1 * static_cast<double>(s) - 0.2 * static_cast<double>(m);
    };
    for (int64_t i = 0; i < copies * kTokens; ++i) {
      const int64_t s = i % kTokens;
      for (int64_t m = 0; m < kFeatures; ++m) x.push_back(element(s, m));
    }
    const Var embedded = ctx.Input(
        "source", Tensor::Of(x, {copies, kTokens, kFeatures}).To(dtype));
    const Var steps = TransposeLeading(Tanh(embedded));
    Var sum;
    for (int64_t s = 0; s < kTokens; ++s) {
      const Var part = Scale(Select(steps, s), s == kPlanted ? 3 : 0.05);
      sum = s == 0 ? part : Add(sum, part);
    }
    const std::vector<double> w = {1, -1, 0.5, -0.5, -2, 1};
    return LogSoftmax(
        MatMul(sum, Tensor::Of(w, {kFeatures, kClasses}).To(dtype)));
  };
  return answer;
}

double Score(const Explainable& answer, int64_t target, int64_t s, int64_t m,
             double change) {
  const ChangedInput input = {
      target, [=](std::span<double> x) { At(x, s * kFeatures + m) += change; }};
  return ScoresOf(answer, {&input, 1}).at(0);
}

TEST(Attribution, JacobianEqualsFiniteDifferences) {
  const Explainable answer = PlantedAnswer(DType::kF64);
  const Tensor jacobian = Jacobian(answer);
  ASSERT_EQ(jacobian.shape(), (Shape{kClasses, kTokens, kFeatures}));
  constexpr double kStep = 1e-5;
  for (int64_t n = 0; n < kClasses; ++n) {
    for (int64_t s = 0; s < kTokens; ++s) {
      for (int64_t m = 0; m < kFeatures; ++m) {
        const double difference =
            (Score(answer, n, s, m, kStep) - Score(answer, n, s, m, -kStep)) /
            (2 * kStep);
        EXPECT_NEAR(jacobian[n].row<double>(s)[m], difference, 1e-8);
      }
    }
  }
}

TEST(Attribution, EveryMethodFindsThePlantedToken) {
  AttributionOptions options;
  options.methods = AttributionMethods();
  const auto all = Attribute(PlantedAnswer(DType::kF32), options);
  ASSERT_EQ(all.size(), options.methods.size());
  for (const Attribution& a : all) {
    SCOPED_TRACE(a.method);
    ASSERT_EQ(a.scores.size(), static_cast<size_t>(kClasses * kTokens));
    for (int64_t n = 0; n < kClasses; ++n) {
      for (int64_t s = 0; s < kTokens; ++s) {
        if (s == kPlanted) continue;
        EXPECT_GT(std::abs(a.scores[n * kTokens + kPlanted]),
                  2 * std::abs(a.scores[n * kTokens + s]));
      }
    }
  }
}

TEST(Attribution, ATokenThatIsAwayIsWhatTheAnswerSays) {
  Explainable answer = PlantedAnswer(DType::kF64);
  answer.absent = {0.5, -0.1, 0.2};
  AttributionOptions options;
  options.methods = {"occlusion", "integrated_gradients"};
  options.steps = 200;
  const auto all = Attribute(answer, options);
  const auto y = [&answer](int64_t target, bool whole) {
    const ChangedInput input = {
        target, [&answer, whole](std::span<double> x) {
          TakeAway(answer,
                   whole ? x : x.subspan(kPlanted * kFeatures, kFeatures));
        }};
    return ScoresOf(answer, {&input, 1}).at(0);
  };
  for (int64_t n = 0; n < kClasses; ++n) {
    const ChangedInput as_it_is = {n, {}};
    const double own = ScoresOf(answer, {&as_it_is, 1}).at(0);
    EXPECT_NEAR(all[0].scores[n * kTokens + kPlanted], own - y(n, false), 1e-6);
    const auto row = all[1].scores.begin() + n * kTokens;
    EXPECT_NEAR(std::accumulate(row, row + kTokens, 0.0), own - y(n, true),
                1e-4);
  }
  answer.absent = {1, 2};
  EXPECT_THROW(Attribute(answer, options), ShapeError);
}

TEST(Attribution, IntegratedGradientsAddUpToTheDifference) {
  AttributionOptions options;
  options.methods = {"integrated_gradients"};
  options.steps = 200;
  const auto a = Attribute(PlantedAnswer(DType::kF64), options).at(0);
  ASSERT_EQ(a.differences.size(), static_cast<size_t>(kClasses));
  for (int64_t n = 0; n < kClasses; ++n) {
    const auto row = a.scores.begin() + n * kTokens;
    EXPECT_NEAR(std::accumulate(row, row + kTokens, 0.0), a.differences[n],
                1e-4);
    EXPECT_GT(std::abs(a.differences[n]), 0.1);
  }
}

TEST(Attribution, OcclusionIsWhatIsLostWithoutAToken) {
  AttributionOptions options;
  options.methods = {"occlusion"};
  const Explainable answer = PlantedAnswer(DType::kF64);
  const auto a = Attribute(answer, options).at(0);
  const ChangedInput without = {1, [](std::span<double> x) {
                                  for (size_t m = 0; m < kFeatures; ++m) {
                                    x[3 * kFeatures + m] = 0;
                                  }
                                }};
  const ChangedInput as_is = {1, {}};
  EXPECT_NEAR(
      a.scores[kTokens + 3],
      ScoresOf(answer, {&as_is, 1})[0] - ScoresOf(answer, {&without, 1})[0],
      1e-6);
}

/// y = x_0 + x_1: both tokens have the same effect.
TEST(Attribution, EqualTokensGetEqualShares) {
  Explainable answer;
  answer.tokens = 2;
  answer.targets = 1;
  answer.scores = [](const Context& ctx, int64_t copies) {
    const Var x = ctx.Input("source", Tensor::Full({copies, 2, 1}, 0.7));
    const Var flat = Reshape(x, {copies, 2});
    const Var sum = Add(Columns(flat, 0, 1), Columns(flat, 1, 2));
    return Tanh(sum);
  };
  AttributionOptions options;
  options.methods = AttributionMethods();
  for (const Attribution& a : Attribute(answer, options)) {
    SCOPED_TRACE(a.method);
    EXPECT_NEAR(a.scores[0], a.scores[1],
                a.method == "smooth_grad" ? 1e-3 : 1e-6);
    EXPECT_GT(a.scores[0], 0);
  }
}

TEST(Attribution, NothingToExplain) {
  Explainable answer = PlantedAnswer(DType::kF32);
  answer.targets = 0;
  AttributionOptions options;
  options.methods = {"saliency"};
  EXPECT_TRUE(Attribute(answer, options).at(0).scores.empty());
}

TEST(Attribution, RefusesUnknownMethodsAndInputs) {
  AttributionOptions options;
  options.methods = {"saliencey"};
  Explainable answer = PlantedAnswer(DType::kF32);
  EXPECT_THROW(Attribute(answer, options), ConfigError);
  options.methods = {"saliency"};
  answer.input = "target_inputs";
  EXPECT_THROW(Attribute(answer, options), ConfigError);
}

TEST(Faithfulness, OrderIsByMagnitudeAndStable) {
  EXPECT_EQ(OrderByMagnitude(std::vector<float>{0.1f, -0.5f, 0.5f, 2}),
            (std::vector<size_t>{3, 1, 2, 0}));
  EXPECT_TRUE(OrderByMagnitude({}).empty());
}

TEST(Faithfulness, ThePlantedOrderBeatsItsReverse) {
  const Explainable answer = PlantedAnswer(DType::kF32);
  Attribution right = {"right", {}, {}};
  Attribution wrong = {"wrong", {}, {}};
  for (int64_t i = 0; i < kClasses * kTokens; ++i) {
    const bool planted = i % kTokens == kPlanted;
    right.scores.push_back(planted ? -5.0f : 1.0f);
    wrong.scores.push_back(planted ? 0.1f : 1.0f);
  }
  Explainable first = answer;  // the predicted class
  const ChangedInput zero = {0, {}}, one = {1, {}};
  const int64_t chosen =
      ScoresOf(answer, {&zero, 1})[0] > ScoresOf(answer, {&one, 1})[0] ? 0 : 1;
  first.targets = 1;
  first.scores = [answer, chosen](const Context& ctx, int64_t copies) {
    return Columns(answer.scores(ctx, copies), chosen, chosen + 1);
  };
  const auto curves = MeasureFaithfulness(first, {right, wrong}, 1);
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_EQ(curves[2].method, "random");
  EXPECT_LT(curves[0].deletion_area(), curves[1].deletion_area());
  EXPECT_GT(curves[0].insertion_area(), curves[1].insertion_area());
  // With all tokens removed or present, the order does not matter.
  EXPECT_NEAR(curves[0].deletion.back(), curves[1].deletion.back(), 1e-6);
  EXPECT_NEAR(curves[0].insertion.back(), curves[0].deletion.front(), 1e-6);
}

TEST(Faithfulness, MeansOfCurves) {
  const Explainable answer = PlantedAnswer(DType::kF32);
  std::vector<FaithfulnessCurve> mean;
  const auto curves = MeasureFaithfulness(answer, {}, 7);
  AddToMean(curves, mean);
  AddToMean(MeasureFaithfulness(answer, {}, 8), mean);
  EXPECT_EQ(mean.at(0).answers, 2);
  EXPECT_NEAR(mean[0].deletion.front(), curves[0].deletion.front(), 1e-9);
}

}  // namespace
}  // namespace heed
