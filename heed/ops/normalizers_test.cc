#include "heed/ops/normalizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/autograd/testing.h"
#include "heed/base/at.h"
#include "heed/kernels/normalizers.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed::normalizers_test {
namespace {

using kernels::At;
using kernels::SetAt;
using Row = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Sigma(double x) { return 1 / (1 + std::exp(-x)); }

Row Map(Row row, const std::function<double(double)>& f) {
  std::transform(row.begin(), row.end(), row.begin(), f);
  return row;
}

double Total(const Row& row) {
  double total = 0;
  for (const double x : row) total += x;
  return total;
}

Row DividedBySum(const Row& row) {
  const double total = Total(row);
  return Map(row, [=](double x) { return total == 0 ? 0 : x / total; });
}

Row SoftmaxOf(const Row& row) {
  return DividedBySum(Map(row, [](double x) { return std::exp(x); }));
}

/// weight(x - tau) with tau such that the sum is 1, by bisection.
Row WithThreshold(const Row& row, const std::function<double(double)>& weight) {
  double high = *std::max_element(row.begin(), row.end());
  if (high == -kInfinity) return Row(row.size(), 0.0);
  double low = high - 1;
  Row weights;
  for (int i = 0; i < 100; ++i) {
    const double tau = (low + high) / 2;
    weights =
        Map(row, [&](double x) { return weight(std::max(x - tau, 0.0)); });
    (Total(weights) > 1 ? low : high) = tau;
  }
  return weights;
}

/// Row with all but the k largest elements masked.
Row Largest(Row row, size_t k) {
  std::vector<size_t> order(row.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return row[a] > row[b]; });
  for (size_t i = k; i < order.size(); ++i) row[order[i]] = -kInfinity;
  return row;
}

struct Normalizer {
  std::string name;
  std::function<Var(const Var&)> apply;
  std::function<Row(const Row&)> reference;
  bool takes_infinity = true;
};

void PrintTo(const Normalizer& normalizer, std::ostream* out) {
  *out << normalizer.name;
}

std::vector<Normalizer> Normalizers() {
  return {
      {"softmax", Softmax, SoftmaxOf},
      {"smoothed_sigmoid", SmoothedSigmoid,
       [](const Row& row) { return DividedBySum(Map(row, Sigma)); }},
      {"sigmoid_gate", SigmoidGate,
       [](const Row& row) { return Map(row, Sigma); }},
      {"sparsemax", Sparsemax,
       [](const Row& row) {
         return WithThreshold(row, [](double x) { return x; });
       },
       false},
      {"entmax15", Entmax15,
       [](const Row& row) {
         return WithThreshold(Map(row, [](double x) { return x / 2; }),
                              [](double x) { return x * x; });
       },
       false},
      {"top_k_softmax", [](const Var& e) { return TopKSoftmax(e, 4); },
       [](const Row& row) { return SoftmaxOf(Largest(row, 4)); }},
      {"mask_scores_and_softmax",
       [](const Var& e) { return Softmax(MaskScores(e, nullptr, 1, 0)); },
       SoftmaxOf},
  };
}

/// Scores within [-3, 3]; every fourth key and all keys of the last row are
/// masked.
Tensor SomeScores(const Shape& shape, DType dtype, uint64_t seed = 1) {
  Tensor e(shape, DType::kF64);
  Rng rng(seed);
  for (int64_t r = 0; r < e.rows(); ++r) {
    for (int64_t s = 0; s < e.cols(); ++s) {
      const bool hidden = (r + s) % 4 == 3 || r == e.rows() - 1;
      e.row<double>(r)[s] = hidden ? -kInfinity : rng.Uniform(-3, 3);
    }
  }
  return e.To(dtype);
}

Row RowOf(const Tensor& x, int64_t r) {
  Row row;
  for (int64_t s = 0; s < x.cols(); ++s) row.push_back(At(x, r, s));
  return row;
}

class NormalizerOps : public testing::TestWithParam<Normalizer> {
 protected:
  static Var Apply(const Var& e) { return GetParam().apply(e); }
};
INSTANTIATE_TEST_SUITE_P(All, NormalizerOps, testing::ValuesIn(Normalizers()),
                         [](const auto& info) { return info.param.name; });

TEST_P(NormalizerOps, AreTheFormulaForRowsOfAnyLength) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t s_size : {1, 3, 15, 17, 63, 65, 129, 1000}) {
      const Tensor wide = SomeScores({3, 2, s_size + 2}, dtype);
      for (const Tensor& e :
           {SomeScores({3, 2, s_size}, dtype), wide.Columns(1, s_size + 1)}) {
        const Tensor a = Apply(e).value();
        ASSERT_EQ(a.shape(), e.shape());
        std::vector<Row> expected;
        for (int64_t r = 0; r < e.rows(); ++r)
          expected.push_back(GetParam().reference(RowOf(e, r)));
        kernels::ExpectEach(a, 1e-6, [&](int64_t r, int64_t s) {
          return At(At(expected, r), s);
        });
      }
    }
  }
}

TEST_P(NormalizerOps, GradientIsThatOfDifferences) {
  const auto of_columns = [](std::span<const Var> in) {
    return Apply(Columns(in[0], 1, in[0].dim(-1) - 1));
  };
  const auto of_all = [](std::span<const Var> in) { return Apply(in[0]); };
  for (const int64_t s_size : {1, 3, 17}) {
    ExpectGradientOf(of_all, {SomeScores({2, 3, s_size}, DType::kF64, 5)});
    ExpectGradientOf(of_columns,
                     {SomeScores({2, 3, s_size + 2}, DType::kF64, 6)});
  }
}

TEST_P(NormalizerOps, GradientInF32IsThatInF64) {
  const auto gradient = [](DType dtype) {
    Tape tape;
    const Var e = tape.Leaf(SomeScores({3, 4, 65}, dtype));
    tape.Backward(Apply(e), RandomTensor(e.shape(), 9, dtype));
    return tape.Gradient(e);
  };
  EXPECT_LT(MaxDifference(gradient(DType::kF32), gradient(DType::kF64)), 1e-6);
}

TEST_P(NormalizerOps, HiddenKeysGetExactlyNothing) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    Tape tape;
    const Var e = tape.Leaf(SomeScores({2, 3, 17}, dtype));
    const Var a = Apply(e);
    tape.Backward(a, RandomTensor(e.shape(), 2, dtype));
    const Tensor gradient = tape.Gradient(e);
    for (int64_t r = 0; r < 6; ++r) {
      for (int64_t s = 0; s < 17; ++s) {
        if (At(e.value(), r, s) != -kInfinity) continue;
        EXPECT_EQ(At(a.value(), r, s), 0);
        EXPECT_EQ(At(gradient, r, s), 0);
      }
    }
  }
}

TEST_P(NormalizerOps, OfEmptyDimensionsAreEmpty) {
  for (const Shape& shape :
       {Shape{0, 2, 3}, Shape{2, 0, 3}, Shape{2, 3, 0}, Shape{0}}) {
    Tape tape;
    const Var e = tape.Leaf(Tensor(shape, DType::kF64));
    if (shape.rank() == 3 || GetParam().name != "mask_scores_and_softmax") {
      const Var a = Apply(e);
      EXPECT_EQ(a.shape(), shape);
      tape.Backward(a);
    }
  }
}

TEST_P(NormalizerOps, OfHugeScoresAreFinite) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const double max = dtype == DType::kF32
                           ? double{std::numeric_limits<float>::max()}
                           : std::numeric_limits<double>::max();
    for (const std::vector<double>& scores :
         {std::vector<double>{max, -max, 0, max},
          {-max, -max, -max, -max},
          {-max, -kInfinity, 3, 800}}) {
      Tape tape;
      const Var e = tape.Leaf(Tensor::Of(scores, {1, 1, 4}).To(dtype));
      const Var a = Apply(e);
      tape.Backward(a, RandomTensor(e.shape(), 2, dtype));
      for (const double x : a.value().ToVector<double>())
        EXPECT_TRUE(x >= 0 && x <= 1) << x;
      for (const double x : tape.Gradient(e).ToVector<double>())
        EXPECT_TRUE(std::isfinite(x)) << x;
    }
  }
}

TEST_P(NormalizerOps, InfiniteScoresShareTheWeightAndNanStaysOrBothAreErrors) {
  const Tensor infinite =
      Tensor::Of(Row{0, 1, 2, kInfinity, 0, kInfinity}, {1, 2, 3});
  const Tensor nan = Tensor::Of(Row{0, 1, 2, 1, NAN, 2}, {1, 2, 3});
  if (!GetParam().takes_infinity) {
    for (const Tensor& e : {infinite, nan}) {
      for (const Tensor& scores : {e, e.To(DType::kF32)}) {
        try {
          Apply(scores);
          ADD_FAILURE() << "no error";
        } catch (const NumericError& error) {
          EXPECT_NE(std::string(error.what()).find("max: row 1 of scores"),
                    std::string::npos)
              << error.what();
        }
      }
    }
    return;
  }
  const Row a = RowOf(Apply(infinite).value(), 1);
  EXPECT_EQ(a[0], a[2]);
  EXPECT_EQ(a[0], GetParam().name == "sigmoid_gate" ? 1 : a[0]);
  EXPECT_GE(a[0], 0.4);
  const Tensor of_nan = Apply(nan).value();
  EXPECT_TRUE(std::isnan(At(of_nan, 1, 1)));
  for (const double x : RowOf(of_nan, 0)) EXPECT_TRUE(std::isfinite(x));
}

TEST_P(NormalizerOps, RefuseOtherDtypesAndSingleNumbers) {
  ExpectShapeError(
      [] {
        Apply(Tensor::Zeros({1, 2, 3}, DType::kI32));
      },
      {"i32", "[1, 2, 3]"});
  ExpectShapeError([] { Apply(Tensor::Zeros({}, DType::kF64)); },
                   {"a dimension of keys"});
}

TEST(Softmax, SharesEquallyAmongInfiniteScores) {
  const Tensor e = Tensor::Of(Row{0, kInfinity, -kInfinity, kInfinity}, {4});
  EXPECT_EQ(Softmax(e).value().ToVector<double>(), (Row{0, 0.5, 0, 0.5}));
}

TEST(SmoothedSigmoid, OfScoresWhoseSigmaVanishesIsTheirSoftmax) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    const Tensor e = Tensor::Of(Row{-1000, -1001, -1003}, {3}).To(dtype);
    EXPECT_LT(MaxDifference(SmoothedSigmoid(e).value(), Softmax(e).value()),
              1e-6);
  }
}

TEST(Sparsemax, LeavesOutKeysFarBelow) {
  const Tensor e = Tensor::Of(Row{0.5, 0, -2}, {3});
  EXPECT_EQ(Sparsemax(e).value().ToVector<double>(), (Row{0.75, 0.25, 0}));
}

TEST(Entmax15, LeavesOutKeysFarBelow) {
  const Row a =
      Entmax15(Tensor::Of(Row{1, 0.5, -2}, {3})).value().ToVector<double>();
  EXPECT_GT(a[0], a[1]);
  EXPECT_GT(a[1], 0);
  EXPECT_EQ(a[2], 0);
}

TEST(TopKSoftmax, OfEqualScoresTakesTheFirst) {
  const Tensor e = Tensor::Of(Row{1, 2, 1, 2, 2, 2}, {6});
  EXPECT_EQ(TopKSoftmax(e, 2).value().ToVector<double>(),
            (Row{0, 0.5, 0, 0.5, 0, 0}));
}

TEST(TopKSoftmax, OfAllKeysIsSoftmax) {
  const Tensor e = SomeScores({2, 3, 5}, DType::kF64);
  for (const int64_t k : {5, 6, 1000}) {
    EXPECT_EQ(MaxDifference(TopKSoftmax(e, k).value(), Softmax(e).value()), 0);
  }
  EXPECT_THROW(TopKSoftmax(e, 0), ConfigError);
}

TEST(GumbelNoise, DependsOnKeyAndPositionAlone) {
  const Tensor all = kernels::GumbelNoise({50, 1000}, 7, DType::kF64);
  const Tensor some = kernels::GumbelNoise({10}, 7, DType::kF64);
  EXPECT_EQ(MaxDifference(some, all.Reshape({50000}).Slice(0, 10)), 0);
  EXPECT_LT(
      MaxDifference(kernels::GumbelNoise({50, 1000}, 7, DType::kF32), all),
      1e-5);
  EXPECT_GT(MaxDifference(kernels::GumbelNoise({10}, 8, DType::kF64), some),
            0.1);
}

TEST(GumbelNoise, HasTheMomentsOfTheDistribution) {
  constexpr int64_t kCount = 1000000;
  const Tensor noise = kernels::GumbelNoise({kCount}, 3, DType::kF64);
  double sum = 0;
  double squares = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    const double x = noise.data<double>()[i];
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kCount;
  const double variance = std::numbers::pi * std::numbers::pi / 6;
  EXPECT_NEAR(mean, std::numbers::egamma, 4 * std::sqrt(variance / kCount));
  // The fourth central moment is 5.4 times the squared variance.
  EXPECT_NEAR(squares / kCount - mean * mean, variance,
              4 * variance * std::sqrt(4.4 / kCount));
}

/// Context whose first random key is fixed by the seed.
struct Draws {
  explicit Draws(uint64_t seed = 11) : rng(seed) {
    ctx.rng = &rng;
    ctx.training = true;
  }
  Rng rng;
  Context ctx;
};

/// Checks that row r of weights is 1 at one visible key, or 0 if there is none.
void ExpectOneHot(const Tensor& weights, const Tensor& e) {
  for (int64_t r = 0; r < e.rows(); ++r) {
    double sum = 0;
    double keys = 0;
    for (int64_t s = 0; s < e.cols(); ++s) {
      const double w = At(weights, r, s);
      EXPECT_TRUE(w == 0 || (w == 1 && At(e, r, s) > -kInfinity));
      sum += w;
      keys += At(e, r, s) > -kInfinity ? 1 : 0;
    }
    EXPECT_EQ(sum, keys > 0 ? 1 : 0) << "row " << r;
  }
}

/// Checks that over many rows with equal scores each key is sampled as often as
/// its probability says.
void ExpectShares(const std::function<Tensor(const Tensor&)>& draw) {
  constexpr int64_t kCount = 20000;
  const Row scores = {1, -kInfinity, 0, -1, 0.5};
  const Row p = SoftmaxOf(scores);
  Tensor e({kCount, 5}, DType::kF64);
  for (int64_t r = 0; r < kCount; ++r)
    std::copy(scores.begin(), scores.end(), e.row<double>(r));
  const Tensor weights = draw(e);
  for (int64_t s = 0; s < 5; ++s) {
    double share = 0;
    for (int64_t r = 0; r < kCount; ++r) share += At(weights, r, s) / kCount;
    const double q = At(p, s);
    EXPECT_NEAR(share, q, 4 * std::sqrt(q * (1 - q) / kCount)) << "key " << s;
  }
}

constexpr int64_t kLengths[] = {1, 3, 15, 17, 63, 65, 129};

TEST(GumbelSoftmax, WhileTrainingPicksOneKey) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t s_size : kLengths) {
      const Tensor e = SomeScores({3, 2, s_size}, dtype);
      ExpectOneHot(GumbelSoftmax(Draws().ctx, e, 0.5).value(), e);
    }
  }
}

TEST(GumbelSoftmax, PicksKeysAsOftenAsSoftmaxSays) {
  ExpectShares([](const Tensor& e) {
    return GumbelSoftmax(Draws().ctx, e, 0.1).value();
  });
}

TEST(GumbelSoftmax, HasTheGradientOfTheSoftmaxOfNoisyScores) {
  constexpr double kTemperature = 0.7;
  const Tensor scores = SomeScores({2, 3, 6}, DType::kF64);
  const Tensor seed = RandomTensor(scores.shape(), 4);
  Tape tape;
  const Var e = tape.Leaf(scores);
  const Var same = tape.Leaf(scores);
  tape.Backward(GumbelSoftmax(Draws().ctx, e, kTemperature), seed);
  const Tensor noise =
      kernels::GumbelNoise(scores.shape(), Draws().ctx.NextKey(), DType::kF64);
  tape.Backward(Softmax(Scale(Add(same, noise), 1 / kTemperature)), seed);
  EXPECT_EQ(MaxDifference(tape.Gradient(e), tape.Gradient(same)), 0);
  EXPECT_GT(MaxDifference(tape.Gradient(e), Tensor::Zeros(scores.shape())),
            0.01);
}

TEST(GumbelSoftmax, OtherwiseIsSoftmax) {
  const Tensor e = SomeScores({2, 3, 6}, DType::kF64);
  EXPECT_EQ(MaxDifference(GumbelSoftmax(Context(), e, 0.5).value(),
                          Softmax(e).value()),
            0);
}

TEST(GumbelSoftmax, OfEmptyDimensionsIsEmpty) {
  for (const Shape& shape : {Shape{0, 2, 3}, Shape{2, 0, 3}, Shape{2, 3, 0}})
    EXPECT_EQ(GumbelSoftmax(Draws().ctx, Tensor(shape), 1).shape(), shape);
}

TEST(GumbelSoftmax, RefusesTemperaturesThatAreNotAboveZero) {
  for (const double temperature : {0.0, -1.0, double{NAN}, kInfinity}) {
    EXPECT_THROW(GumbelSoftmax(Context(), Tensor::Zeros({2}), temperature),
                 ConfigError);
  }
}

TEST(StraightThrough, HasOneValueAndTheOthersGradient) {
  Tape tape;
  const Tensor hard = RandomTensor({2, 3}, 1);
  const Tensor seed = RandomTensor({2, 3}, 3);
  const Var soft = tape.Leaf(RandomTensor({2, 3}, 2));
  const Var y = StraightThrough(hard, soft);
  tape.Backward(y, seed);
  EXPECT_EQ(MaxDifference(y.value(), hard), 0);
  EXPECT_EQ(MaxDifference(tape.Gradient(soft), seed), 0);
  ExpectShapeError(
      [&] {
        StraightThrough(RandomTensor({3, 2}, 1), soft);
      },
      {"straight through", "[3, 2]", "[2, 3]"});
}

TEST(SampleHard, PicksOneKeyAndTellsItsLogProbabilityAndTheEntropy) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const int64_t s_size : kLengths) {
      const Tensor e = SomeScores({3, 2, s_size}, dtype);
      const HardSample sample = SampleHard(Draws().ctx, e);
      ExpectOneHot(sample.weights.value(), e);
      EXPECT_EQ(sample.log_probability.shape(), (Shape{3, 2}));
      EXPECT_EQ(sample.entropy.shape(), (Shape{3, 2}));
      for (int64_t r = 0; r < e.rows(); ++r) {
        const Row p = SoftmaxOf(RowOf(e, r));
        double log_probability = 0;
        double entropy = 0;
        for (int64_t s = 0; s < s_size; ++s) {
          const double q = At(p, s);
          if (At(sample.weights.value(), r, s) == 1)
            log_probability = std::log(q);
          if (q > 0) entropy -= q * std::log(q);
        }
        EXPECT_NEAR(At(sample.log_probability.value(), r / 2, r % 2),
                    log_probability, 2e-6);
        EXPECT_NEAR(At(sample.entropy.value(), r / 2, r % 2), entropy, 2e-6);
      }
    }
  }
}

TEST(SampleHard, PicksKeysAsOftenAsSoftmaxSays) {
  ExpectShares([](const Tensor& e) {
    return SampleHard(Draws().ctx, e).weights.value();
  });
}

TEST(SampleHard, DependsOnTheKeyOfTheContext) {
  const Tensor e = RandomTensor({50, 2, 5}, 1);
  const Tensor first = SampleHard(Draws(1).ctx, e).weights.value();
  EXPECT_EQ(MaxDifference(first, SampleHard(Draws(1).ctx, e).weights.value()),
            0);
  EXPECT_EQ(MaxDifference(first, SampleHard(Draws(2).ctx, e).weights.value()),
            1);
}

TEST(SampleHard, GradientIsThatOfDifferences) {
  const Tensor e = SomeScores({2, 3, 6}, DType::kF64);
  const auto log_probability = [](std::span<const Var> in) {
    return SampleHard(Draws().ctx, in[0]).log_probability;
  };
  const auto entropy = [](std::span<const Var> in) {
    return SampleHard(Draws().ctx, in[0]).entropy;
  };
  ExpectGradientOf(log_probability, {e.Clone()});
  ExpectGradientOf(entropy, {e.Clone()});
}

TEST(SampleHard, OfRowsWithoutKeysIsZero) {
  for (const int64_t s_size : {0, 4}) {
    Tape tape;
    const Var e = tape.Leaf(Tensor::Full({2, 3, s_size}, -kInfinity));
    const HardSample sample = SampleHard(Draws().ctx, e);
    tape.Backward(Add(sample.log_probability, sample.entropy));
    const Tensor zero = Tensor::Zeros({2, 3});
    EXPECT_EQ(MaxDifference(sample.log_probability.value(), zero), 0);
    EXPECT_EQ(MaxDifference(sample.entropy.value(), zero), 0);
    EXPECT_EQ(MaxDifference(sample.weights.value(), Tensor::Zeros(e.shape())),
              0);
    EXPECT_EQ(MaxDifference(tape.Gradient(e), Tensor::Zeros(e.shape())), 0);
  }
}

TEST(SampleHard, WeightsAreConstant) {
  Tape tape;
  const Var e = tape.Leaf(RandomTensor({2, 3, 4}, 1));
  EXPECT_EQ(SampleHard(Draws().ctx, e).weights.tape(), nullptr);
}

TEST(HardChoices, OfNanAreNan) {
  Tensor e = RandomTensor({2, 1, 3}, 1);
  SetAt(e, 1, 2, NAN);
  for (const Tensor& weights : {SampleHard(Draws().ctx, e).weights.value(),
                                GumbelSoftmax(Draws().ctx, e, 1).value()}) {
    EXPECT_TRUE(std::isfinite(At(weights, 0, 0)));
    EXPECT_TRUE(std::isnan(At(weights, 1, 0)));
  }
}

}  // namespace
}  // namespace heed::normalizers_test
