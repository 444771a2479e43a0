#include "heed/ops/score_modifiers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/at.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"
#include "heed/ops/testing.h"

namespace heed::score_modifiers_test {
namespace {

using kernels::At;
using kernels::ExpectEach;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kBatch = 2;
constexpr int64_t kHeads = 3;
constexpr int64_t kRows = kBatch * kHeads;

/// Element of a tensor at a flat index.
double Element(const Tensor& x, int64_t i) { return At(x, 0, i); }

std::vector<double> Values(const Var& x) {
  return x.value().ToVector<double>();
}

class ScoreModifiers : public testing::TestWithParam<DType> {
 protected:
  Tensor Random(const Shape& shape, uint64_t seed) const {
    return RandomTensor(shape, seed, GetParam());
  }
  Tensor Numbers(const std::vector<double>& values, const Shape& shape) const {
    return Tensor::Of(values, shape).To(GetParam());
  }
  /// Calls f(T, S) for all relevant sizes.
  template <typename F>
  void ForSizes(const F& f) const {
    for (const int64_t steps : {1, 3, 17, 129}) {
      for (const int64_t keys : {1, 3, 15, 17, 63, 65}) {
        SCOPED_TRACE(testing::Message() << "T " << steps << ", S " << keys);
        f(steps, keys);
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(DTypes, ScoreModifiers,
                         testing::Values(DType::kF32, DType::kF64),
                         [](const auto& info) {
                           return std::string(Name(info.param));
                         });

TEST_P(ScoreModifiers, OfElementsAreTheirFormulas) {
  const Tensor x = Random({3, 17}, 1);
  ExpectEach(Softplus(x).value(), 1e-6, [&](int64_t r, int64_t c) {
    return std::log(1 + std::exp(At(x, r, c)));
  });
  ExpectEach(LeakyRelu(x, 0.2).value(), 1e-6, [&](int64_t r, int64_t c) {
    return At(x, r, c) * (At(x, r, c) > 0 ? 1 : 0.2);
  });
  ExpectEach(SoftCap(x, 0.3).value(), 1e-6, [&](int64_t r, int64_t c) {
    return 0.3 * std::tanh(At(x, r, c) / 0.3);
  });
}

TEST_P(ScoreModifiers, SoftplusOfHugeNumbersIsFinite) {
  EXPECT_EQ(Values(Softplus(Numbers({-1e30, 1e30}, {2}))),
            Values(Numbers({0, 1e30}, {2})));
}

TEST_P(ScoreModifiers, SoftCapOfHugeNumbersIsTheCap) {
  EXPECT_EQ(Values(SoftCap(Numbers({-1e30, 1e30}, {2}), 50)),
            (std::vector<double>{-50, 50}));
}

TEST_P(ScoreModifiers, ScaleRowsIsTheFormula) {
  ForSizes([&](int64_t steps, int64_t keys) {
    const Tensor x = Random({kRows, steps, keys}, 1);
    const Tensor factor = Random({kRows, steps}, 2);
    ExpectEach(ScaleRows(x, factor).value(), 1e-6, [&](int64_t r, int64_t s) {
      return At(x, r, s) * Element(factor, r);
    });
  });
}

TEST_P(ScoreModifiers, ScaleRowsOfMaskedScoresHasAFiniteGradient) {
  Tape tape;
  const Var x = Numbers({-kInfinity, 2}, {1, 2});
  const Var factor = tape.Leaf(Numbers({3}, {1}));
  tape.Backward(Exp(ScaleRows(x, factor)));
  EXPECT_NEAR(tape.Gradient(factor).item(), 2 * std::exp(6), 1e-3);
}

TEST_P(ScoreModifiers, AddBiasIsTheFormulaForEveryBroadcast) {
  constexpr int64_t kKeys = 17;
  constexpr int64_t kSteps = 5;
  const Tensor e = Random({kRows, kSteps, kKeys}, 1);
  for (const int64_t batch : {int64_t{1}, kBatch}) {
    for (const int64_t heads : {int64_t{1}, kHeads}) {
      for (const int64_t steps : {int64_t{1}, kSteps}) {
        const Tensor bias = Random({batch, heads, steps, kKeys}, 2);
        ExpectEach(
            AddBias(e, bias, kHeads).value(), 1e-6, [&](int64_t r, int64_t s) {
              const int64_t b = r / kSteps / kHeads % batch;
              const int64_t h = r / kSteps % kHeads % heads;
              const int64_t t = r % kSteps % steps;
              return At(e, r, s) + At(bias, (b * heads + h) * steps + t, s);
            });
      }
    }
  }
}

TEST_P(ScoreModifiers, AddDistanceBiasIsTheFormula) {
  for (const int64_t heads : {int64_t{1}, kHeads}) {
    ForSizes([&](int64_t steps, int64_t keys) {
      const Tensor e = Random({kRows, steps, keys}, 1);
      const Tensor bias = Random({heads, steps + keys - 1}, 2);
      ExpectEach(AddDistanceBias(e, bias, kHeads).value(), 1e-6,
                 [&](int64_t r, int64_t s) {
                   const int64_t h = r / steps % kHeads % heads;
                   return At(e, r, s) + At(bias, h, s - r % steps + steps - 1);
                 });
    });
  }
}

TEST_P(ScoreModifiers, DistanceTableLooksUpEachDistance) {
  const Tensor table = Random({4, kHeads}, 1);
  const std::vector<int32_t> buckets = {3, 0, 0, 2, 3};
  const Tensor y = DistanceTable(table, Ids(buckets, {5})).value();
  ASSERT_EQ(y.shape(), (Shape{kHeads, 5}));
  ExpectEach(
      y, 0, [&](int64_t h, int64_t i) { return At(table, At(buckets, i), h); });
}

TEST_P(ScoreModifiers, GaussianFactorIsTheFormula) {
  ForSizes([&](int64_t steps, int64_t keys) {
    const Tensor x = Random({kRows, steps, keys}, 1);
    const Tensor centre = Scale(Random({kRows, steps}, 2), 20).value();
    ExpectEach(
        GaussianFactor(x, centre, 5).value(), 1e-6, [&](int64_t r, int64_t s) {
          const double u = (static_cast<double>(s) - Element(centre, r)) / 5;
          return At(x, r, s) * std::exp(-u * u / 2);
        });
  });
}

TEST_P(ScoreModifiers, GaussianFactorKeepsMaskedScores) {
  Tape tape;
  const Var x = tape.Leaf(
      Numbers({-kInfinity, -1, -kInfinity, -1, 2, -kInfinity}, {1, 2, 3}));
  const Var centre = tape.Leaf(Numbers({1, 1e30}, {1, 2}));
  const Var y = GaussianFactor(x, centre, 0.5);
  EXPECT_EQ(Values(y), (std::vector<double>{-kInfinity, -1, -kInfinity, 0, 0,
                                            -kInfinity}));
  tape.Backward(y);
  EXPECT_EQ(Values(tape.Gradient(x)), (std::vector<double>{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(Values(tape.Gradient(centre)), (std::vector<double>{0, 0}));
}

TEST_P(ScoreModifiers, RotaryIsTheFormula) {
  constexpr double kBase = 100;
  constexpr int64_t kOffset = 7;
  for (const int64_t steps : {1, 3, 17, 65}) {
    for (const int64_t half : {1, 3, 15, 17}) {
      const Tensor x = Random({kBatch, steps, kHeads * 2 * half}, 1);
      ExpectEach(
          Rotary(x, kHeads, kOffset, kBase).value(), 1e-6,
          [&](int64_t r, int64_t c) {
            const int64_t feature = c % (2 * half);
            const int64_t i = feature % half;
            const double angle = static_cast<double>(r % steps + kOffset) *
                                 std::pow(kBase, -static_cast<double>(i) /
                                                     static_cast<double>(half));
            const int64_t first = c - feature + i;
            const double u = At(x, r, first);
            const double v = At(x, r, first + half);
            return feature < half ? u * std::cos(angle) - v * std::sin(angle)
                                  : v * std::cos(angle) + u * std::sin(angle);
          });
    }
  }
}

TEST_P(ScoreModifiers, RotaryProductsDependOnTheDistanceAlone) {
  const Tensor q = Random({1, 1, 16}, 1);
  const Tensor k = Random({1, 1, 16}, 2);
  const auto score = [&](int64_t t, int64_t s) {
    return kernels::Dot(Rotary(q, 1, t, 10000).value(),
                        Rotary(k, 1, s, 10000).value());
  };
  EXPECT_NEAR(score(3, 1), score(103, 101), 1e-5);
  EXPECT_GT(std::abs(score(3, 1) - score(3, 2)), 1e-3);
}

TEST_P(ScoreModifiers, RotaryOfALaterStepIsThatOfTheWholeSequence) {
  const Tensor x = Random({1, 9, 8}, 1);
  const Tensor whole = Rotary(x, 2, 0, 10000).value();
  const Tensor step =
      Rotary(x[0].Slice(6, 7).Reshape({1, 1, 8}), 2, 6, 10000).value();
  EXPECT_EQ(MaxDifference(step[0][0], whole[0][6]), 0);
}

TEST_P(ScoreModifiers, InterpolateIsTheFormula) {
  ForSizes([&](int64_t steps, int64_t keys) {
    const Tensor a = Random({kRows, steps, keys}, 1);
    const Tensor previous = Random({kRows, steps, keys}, 2);
    const Tensor gate = Sigmoid(Random({kRows, steps}, 3)).value();
    ExpectEach(Interpolate(a, previous, gate).value(), 1e-6,
               [&](int64_t r, int64_t s) {
                 const double g = Element(gate, r);
                 return g * At(a, r, s) + (1 - g) * At(previous, r, s);
               });
  });
}

TEST_P(ScoreModifiers, InterpolateWithAShutOrOpenGateTakesOneSide) {
  const Tensor a = Random({1, 2, 5}, 1);
  const Tensor previous = Random({1, 2, 5}, 2);
  const Tensor y = Interpolate(a, previous, Numbers({1, 0}, {1, 2})).value()[0];
  EXPECT_EQ(MaxDifference(y[0], a[0][0]), 0);
  EXPECT_EQ(MaxDifference(y[1], previous[0][1]), 0);
}

TEST_P(ScoreModifiers, CircularShiftIsTheFormula) {
  for (const int64_t radius : {0, 1, 4}) {
    ForSizes([&](int64_t steps, int64_t keys) {
      const Tensor a = Random({kRows, steps, keys}, 1);
      const Tensor shift = Random({kRows, steps, 2 * radius + 1}, 2);
      ExpectEach(CircularShift(a, shift).value(), 2e-6,
                 [&](int64_t r, int64_t i) {
                   double sum = 0;
                   for (int64_t o = -radius; o <= radius; ++o) {
                     const int64_t j = ((i - o) % keys + keys) % keys;
                     sum += At(a, r, j) * At(shift, r, o + radius);
                   }
                   return sum;
                 });
    });
  }
}

TEST_P(ScoreModifiers, CircularShiftByAPositiveOffsetMovesWeightUp) {
  const Tensor a = Numbers({1, 0, 0, 2}, {1, 1, 4});
  const Tensor up = Numbers({0, 0, 1}, {1, 1, 3});
  const Tensor down = Numbers({1, 0, 0}, {1, 1, 3});
  EXPECT_EQ(Values(CircularShift(a, up)), (std::vector<double>{2, 1, 0, 0}));
  EXPECT_EQ(Values(CircularShift(a, down)), (std::vector<double>{0, 0, 2, 1}));
}

TEST_P(ScoreModifiers, CircularShiftClosesBehindTheRealKeys) {
  const Tensor a = Numbers({1, 2, 3, 4, 5, 6, 7, 8}, {2, 1, 4});
  const Tensor up = Numbers({0, 0, 1, 0, 0, 1}, {2, 1, 3});
  EXPECT_EQ(Values(CircularShift(a, up, Lengths({3, 0}))),
            (std::vector<double>{3, 1, 2, 0, 0, 0, 0, 0}));
  ExpectShapeError(
      [&] {
        CircularShift(a, up, Lengths({3, 5}));
      },
      {"circular shift", "5", "4"});
}

TEST_P(ScoreModifiers, SharpenIsTheFormula) {
  ForSizes([&](int64_t steps, int64_t keys) {
    const Tensor a = Exp(Random({kRows, steps, keys}, 1)).value();
    const Tensor gamma = Exp(Exp(Random({kRows, steps}, 2))).value();
    ExpectEach(Sharpen(a, gamma).value(), 2e-6, [&](int64_t r, int64_t s) {
      const double power = Element(gamma, r);
      double sum = 0;
      for (int64_t i = 0; i < keys; ++i) sum += std::pow(At(a, r, i), power);
      return std::pow(At(a, r, s), power) / sum;
    });
  });
}

TEST_P(ScoreModifiers, SharpenOfTinyHugeAndNoWeightsIsFinite) {
  Tape tape;
  const Var a = tape.Leaf(Numbers({0, 0, 0,          //
                                   -1e-9, 1, 0,      //
                                   1e-30, 3e-30, 0,  //
                                   0.5, 0.5, -1e-7,  //
                                   1e-40, 1, 1e-42,  //
                                   1e-40, 0, 0},
                                  {1, 6, 3}));
  const Var gamma = tape.Leaf(Numbers({2, 1, 2, 1e6, 1.5, 20}, {1, 6}));
  const Var y = Sharpen(a, gamma);
  const std::vector<double> weights = Values(y);
  EXPECT_EQ(std::vector<double>(weights.begin(), weights.begin() + 6),
            (std::vector<double>{0, 0, 0, 0, 1, 0}));
  EXPECT_NEAR(weights[6], 0.1, 1e-6);
  EXPECT_NEAR(weights[7], 0.9, 1e-6);
  EXPECT_EQ(std::vector<double>(weights.begin() + 8, weights.begin() + 12),
            (std::vector<double>{0, 0.5, 0.5, 0}));
  EXPECT_EQ(weights[13], 1);
  EXPECT_EQ(weights[15], 1);
  tape.Backward(y, Random({1, 6, 3}, 1));
  for (const Var& x : {a, gamma}) {
    for (const double g : Values(tape.Gradient(x)))
      EXPECT_TRUE(std::isfinite(g)) << g;
  }
  const std::vector<double> da = Values(tape.Gradient(a));
  EXPECT_EQ(std::vector<double>(da.begin(), da.begin() + 4),
            (std::vector<double>{0, 0, 0, 0}));
}

/// Modifiers as operations, for B batch rows, H heads, T queries and S keys.
std::vector<Operation> Modifiers(int64_t b, int64_t h, int64_t t, int64_t s) {
  const Shape scores = {b * h, t, s};
  const Shape numbers = {b * h, t};
  const int64_t distances = std::max<int64_t>(0, t + s - 1);
  const auto bias = [h](Inputs in) { return AddBias(in[0], in[1], h); };
  const auto distance = [h](Inputs in) {
    return AddDistanceBias(in[0], in[1], h);
  };
  return {
      {"softplus", [](Inputs in) { return Softplus(in[0]); }, {scores}},
      {"leaky", [](Inputs in) { return LeakyRelu(in[0], 0.2); }, {scores}},
      {"soft_cap", [](Inputs in) { return SoftCap(in[0], 0.7); }, {scores}},
      {"scale_rows",
       [](Inputs in) { return ScaleRows(in[0], in[1]); },
       {scores, numbers}},
      {"bias", bias, {scores, {b, h, t, s}}},
      {"bias_of_heads", bias, {scores, {1, h, 1, s}}},
      {"bias_of_batch", bias, {scores, {b, 1, 1, s}}},
      {"bias_of_queries", bias, {scores, {1, 1, t, s}}},
      {"distance_bias", distance, {scores, {h, distances}}},
      {"distance_bias_of_all", distance, {scores, {1, distances}}},
      {"distance_table",
       [](Inputs in) {
         return DistanceTable(in[0], Lengths({2, 0, 0, 1}));
       },
       {{3, h}}},
      {"gaussian",
       [](Inputs in) { return GaussianFactor(in[0], Scale(in[1], 3), 1.5); },
       {scores, numbers}},
      {"gaussian_of_masked",
       [](Inputs in) {
         const Tensor masked =
             Tensor::Full(in[0].shape(), -kInfinity, in[0].value().dtype());
         // Exponentials, because a difference of infinities is undefined.
         return Exp(GaussianFactor(ConcatColumns({in[0], masked}), in[1], 1.5));
       },
       {scores, numbers}},
      {"rotary",
       [h](Inputs in) { return Rotary(in[0], h, 3, 50); },
       {{b, t, h * 4}}},
      {"interpolate",
       [](Inputs in) { return Interpolate(in[0], in[1], in[2]); },
       {scores, scores, numbers}},
      {"shift",
       [](Inputs in) { return CircularShift(in[0], in[1]); },
       {scores, {b * h, t, 3}}},
      {"shift_of_real_keys",
       [](Inputs in) {
         return CircularShift(in[0], in[1], Lengths({1, 0, 2, 1}));
       },
       {{4, t, 5}, {4, t, 3}}},
      {"wide_shift",
       [](Inputs in) { return CircularShift(in[0], in[1]); },
       {scores, {b * h, t, 15}}},
      {"sharpen",
       [](Inputs in) { return Sharpen(Exp(in[0]), Exp(in[1])); },
       {scores, numbers}},
      {"sharpen_with_zeros",
       [](Inputs in) { return Sharpen(Relu(in[0]), Exp(Exp(in[1]))); },
       {scores, numbers}},
  };
}

class ModifierGradients : public OperationTest {};

TEST_P(ModifierGradients, AreThoseOfDifferences) { ExpectGradients(); }
TEST_P(ModifierGradients, OfRowsApartAreThoseOfDifferences) {
  ExpectGradientsOfRowsApart();
}
TEST_P(ModifierGradients, OfEachOperandAloneAreThoseOfDifferences) {
  ExpectGradientsOfEachOperandAlone();
}
TEST_P(ModifierGradients, InF32AreThoseInF64) { ExpectGradientsInF32(); }

INSTANTIATE_TEST_SUITE_P(Small, ModifierGradients,
                         testing::ValuesIn(Modifiers(2, 3, 4, 5)), NameOf);

TEST(ScoreModifiers, OfNothingAreNothing) {
  for (const Shape& size :
       {Shape{0, 2, 3, 4}, {2, 2, 0, 4}, {2, 2, 3, 0}, {0, 1, 0, 0}}) {
    for (const Operation& modifier :
         Modifiers(size[0], size[1], size[2], size[3])) {
      SCOPED_TRACE(modifier.name + " of " + size.ToString());
      Tape tape;
      std::vector<Var> in;
      for (const Shape& shape : modifier.shapes)
        in.push_back(tape.Leaf(RandomTensor(shape, 1)));
      const Var y = modifier.apply(in);
      tape.Backward(y);
      for (const Var& x : in) {
        const Tensor gradient = tape.Gradient(x);
        ASSERT_TRUE(gradient.defined());
        EXPECT_EQ(gradient.shape(), x.shape());
        for (const double g : Values(gradient))
          EXPECT_TRUE(std::isfinite(g)) << g;
      }
    }
  }
}

TEST(ScoreModifiers, RefuseShapesThatDoNotFit) {
  const Tensor e = Tensor::Zeros({6, 4, 5});
  const Tensor odd = Tensor::Zeros({6, 3});
  const std::vector<std::string> shapes = {"[6, 4, 5]", "[6, 3]"};
  const auto expect = [&](const std::string& op, const auto& f) {
    ExpectShapeError(f, {op, shapes[0], shapes[1]});
  };
  expect("scale rows", [&] { ScaleRows(e, odd); });
  expect("add bias", [&] { AddBias(e, odd, 3); });
  expect("add distance bias", [&] { AddDistanceBias(e, odd, 3); });
  expect("gaussian factor", [&] { GaussianFactor(e, odd, 1); });
  expect("interpolate", [&] { Interpolate(e, odd, odd); });
  expect("interpolate", [&] { Interpolate(e, e, odd); });
  expect("circular shift", [&] { CircularShift(e, odd); });
  expect("sharpen", [&] { Sharpen(e, odd); });
  ExpectShapeError(
      [&] {
        CircularShift(e, Tensor::Zeros({6, 4, 2}));
      },
      {"circular shift", "odd", "[6, 4, 5]", "[6, 4, 2]"});
  ExpectShapeError(
      [&] {
        AddBias(e, Tensor::Zeros({1, 3, 1, 4}), 3);
      },
      {"add bias", "[6, 4, 5]", "[1, 3, 1, 4]"});
  ExpectShapeError(
      [&] {
        AddBias(e, Tensor::Zeros({1, 1, 1, 5}), 4);
      },
      {"add bias", "[6, 4, 5]", "[1, 1, 1, 5]"});
  ExpectShapeError(
      [&] {
        AddDistanceBias(e, Tensor::Zeros({2, 8}), 3);
      },
      {"add distance bias", "[6, 4, 5]", "[2, 8]"});
  ExpectShapeError([&] { Rotary(e, 2, 0, 10000); },
                   {"rotary", "2 heads", "[6, 4, 5]"});
  ExpectShapeError([&] { Rotary(e, 5, 0, 10000); },
                   {"rotary", "5 heads", "[6, 4, 5]"});
  ExpectShapeError([&] { DistanceTable(odd, Tensor::Zeros({4})); },
                   {"distance table", "i32", "[6, 3]", "[4]"});
  ExpectShapeError([&] { DistanceTable(odd, Lengths({6})); },
                   {"id 6", "6 rows"});
}

TEST(ScoreModifiers, RefuseMixedDTypes) {
  const Tensor e = Tensor::Zeros({6, 4, 5});
  const Tensor numbers = Tensor::Zeros({6, 4}, DType::kF64);
  const std::vector<std::string> parts = {"dtypes", "[6, 4, 5]", "[6, 4]"};
  ExpectShapeError([&] { ScaleRows(e, numbers); }, parts);
  ExpectShapeError([&] { GaussianFactor(e, numbers, 1); }, parts);
  ExpectShapeError([&] { Interpolate(e, e, numbers); }, parts);
  ExpectShapeError([&] { Sharpen(e, numbers); }, parts);
}

TEST(ScoreModifiers, RefuseNumbersOutOfRange) {
  const Tensor e = Tensor::Zeros({6, 4, 5});
  EXPECT_THROW(SoftCap(e, 0), ConfigError);
  EXPECT_THROW(SoftCap(e, NAN), ConfigError);
  EXPECT_THROW(GaussianFactor(e, Tensor::Zeros({6, 4}), -1), ConfigError);
  EXPECT_THROW(Rotary(Tensor::Zeros({1, 1, 2}), 1, 0, 0), ConfigError);
}

}  // namespace
}  // namespace heed::score_modifiers_test
