#include "heed/attention/attention.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/attention/testing.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/gemm.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

/// User-defined score: a dot product with a learned factor.
class FactorScore : public Score {
 public:
  FactorScore(const Scope& scope, const AttentionSizes& /*sizes*/)
      : factor_(scope.Add("factor", {1}, {Init::Kind::kConstant, 1})) {}
  Var Scores(const Context& ctx, const Var& query,
             const Var& keys) const override {
    return ScaleBy(DotScores(query, keys, 1), ctx.Use(factor_));
  }

 private:
  Parameter& factor_;
};

/// User-defined modifier: half of each score.
class HalveScores : public Modifier {
 public:
  Var Scores(const AttentionSite& /*site*/, const Var& scores) const override {
    return Scale(scores, 0.5);
  }
};

/// User-defined normaliser: tanh(e)^2.
class SquaredTanh : public Normalizer {
 public:
  Normalized operator()(const Context& /*ctx*/,
                        const Var& scores) const override {
    const Var a = Sigmoid(scores);
    return {Mul(a, a), {}, {}};
  }
};

TEST(OwnPart, AScoreOfOneClass) {
  AttentionSpec spec = TestSpec();
  spec.score = UserPart<FactorScore, Score>("factor");
  ExpectAttentionHolds(spec);
}

TEST(OwnPart, AModifierOfOneClass) {
  AttentionSpec spec = TestSpec("additive", "alibi");
  spec.modifiers.push_back(UserPart<HalveScores, Modifier>("halve"));
  ExpectAttentionHolds(spec);
}

TEST(OwnPart, ANormalizerOfOneClass) {
  AttentionSpec spec = TestSpec();
  spec.normalizer = UserPart<SquaredTanh, Normalizer>("squared");
  ExpectAttentionHolds(spec);
}

TEST(OwnPart, AMaskOfOneFunction) {
  AttentionSpec spec = TestSpec("general", "soft_cap(2)");
  spec.mask =
      MaskOf([](int64_t, int64_t t, int64_t s) { return (t + s) % 2 == 0; });
  ExpectAttentionHolds(spec);
}

TEST(Attention, OfAllHeadCountsHolds) {
  for (const auto& [heads, key_heads] :
       std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {3, 3}, {4, 2}, {6, 1}, {12, 0}}) {
    SCOPED_TRACE(std::to_string(heads) + ", " + std::to_string(key_heads));
    for (const ScoreInfo& score : Scores()) {
      SCOPED_TRACE(score.name);
      AttentionSpec spec = TestSpec(score.name);
      const int64_t keys = key_heads == 0 ? heads : key_heads;
      spec.heads = heads;
      spec.key_heads = key_heads;
      spec.query = heads * 4;
      spec.key = keys * (score.equal_sizes ? 4 : 6);
      spec.value = keys * 3;
      ExpectGradientsHold(spec, {2, 3, 4});
      ExpectFusedIsComposed(spec, {2, 3, 4});
      ExpectFusedIsComposed(spec, {2, 12, 5});
    }
  }
}

TEST(Attention, SeveralModifiersApplyFromLeftToRight) {
  for (const char* modifiers :
       {"alibi; soft_cap(0.5)", "soft_cap(0.5); alibi", "rotary; strength",
        "local_p(2); sharpen(3); alibi", "soft_cap(1); local_p(3); shift",
        "strength; interpolate; shift; sharpen_weights",
        "relative_bias(3, 9); learned_bias(9); temperature(0.5); local_p(2)",
        "local_p_scores(2); median_window(3); soft_cap(2)"}) {
    SCOPED_TRACE(modifiers);
    AttentionSpec spec = TestSpec("scaled_dot", modifiers);
    ExpectAttentionHolds(spec);
    spec.mask = Causal();
    ExpectAttentionHolds(spec, {2, 9, 9});
  }
  const TestSizes sizes;
  const auto context = [&](const std::string& modifiers) {
    return AttentionUnderTest(TestSpec("dot", modifiers), sizes, DType::kF64)
        .ContextOf();
  };
  EXPECT_GT(MaxDifference(context("alibi; soft_cap(0.5)"),
                          context("soft_cap(0.5); alibi")),
            1e-3);
}

TEST(Attention, OfASequenceToItselfHasTheWholeGradient) {
  for (const char* mask : {"", "causal", "adjacency(2)"}) {
    for (const DType dtype : {DType::kF64, DType::kF32}) {
      for (const int64_t length : {3, 12}) {
        AttentionSpec spec = TestSpec("scaled_dot");
        spec.heads = spec.key_heads = 2;
        spec.query = spec.key = spec.value = 8;
        spec.mask = ParseMask(mask, {1, length, length});
        ParameterSet set(1, dtype, kernels::Precision::kNative);
        const Attention attention(Scope(set, "self"), spec);
        const Tensor x = RandomTensor({1, length, 8}, 5, DType::kF32).To(dtype);
        const Tensor seed =
            RandomTensor({1, length, 8}, 6, DType::kF32).To(dtype);
        const auto gradient = [&](bool one, WantWeights want) {
          Tape tape;
          Context ctx;
          ctx.tape = &tape;
          const Var q = tape.Leaf(x);
          const Var k = one ? q : tape.Leaf(x);
          const Var v = one ? q : tape.Leaf(x);
          tape.Backward(
              attention
                  .Attend(ctx, q, attention.Prepare(ctx, k, v), {.want = want})
                  .context,
              seed);
          Tensor sum = tape.Gradient(q).Clone();
          if (!one) {
            kernels::AddTo(sum, tape.Gradient(k));
            kernels::AddTo(sum, tape.Gradient(v));
          }
          return sum;
        };
        for (const WantWeights want :
             {WantWeights::kNo, WantWeights::kDifferentiable}) {
          EXPECT_LT(MaxDifference(gradient(true, want), gradient(false, want)),
                    dtype == DType::kF64 ? 1e-13 : 1e-5)
              << mask << ", " << length;
        }
      }
    }
  }
}

TEST(Attention, OverAGraphIsTheDenseMaskedOne) {
  const TestSizes sizes{1, 11, 17};
  for (const ScoreInfo& score : Scores()) {
    for (const char* modifier : {"", "rotary", "alibi"}) {
      if (!Fit(score.name, modifier)) continue;
      for (const char* degree : {"0", "1", "3", "17"}) {
        SCOPED_TRACE(score.name + " " + modifier + " " + degree);
        AttentionSpec spec = TestSpec(score.name, modifier);
        if (!TakesQuery(spec)) continue;
        spec.mask = ParseMask(std::string("adjacency(") + degree + ")",
                              {1, sizes.queries, sizes.keys});
        ExpectFusedIsComposed(spec, sizes);
        const AttentionUnderTest test(spec, sizes, DType::kF64);
        const Result sparse = test.Run(WantWeights::kNo);
        const Result dense = test.Run(WantWeights::kDifferentiable);
        ExpectAsCloseAs(dense, sparse, dense, 1e-13);
        ExpectWeightsAreObserved(spec, sizes, DType::kF64);
        ExpectWeightsAreObserved(spec, sizes, DType::kF32);
      }
    }
  }
}

TEST(Attention, DropsTheSameWeightsFusedAndComposed) {
  for (const char* score : {"scaled_dot", "additive", "graph"}) {
    for (const char* modifier : {"", "alibi", "local_p(2)"}) {
      for (const int64_t queries : {3, 11}) {
        SCOPED_TRACE(std::string(score) + " " + modifier);
        AttentionSpec spec = TestSpec(score, modifier);
        spec.mask = Causal() && Padding(Lengths({9, 4}));
        spec.dropout = 0.4;
        const TestSizes sizes{2, queries, 9};
        ExpectFusedIsComposed(spec, sizes, true);
        const AttentionUnderTest test(spec, sizes, DType::kF32);
        EXPECT_GT(
            MaxDifference(test.Run(WantWeights::kNo, {}, true)["context"],
                          test.Run(WantWeights::kNo, {}, false)["context"]),
            1e-2);
      }
    }
  }
}

/// Rounding factors to bf16 changes a score by 2^-8 of its size, as in a plain
/// bf16 computation.
TEST(Attention, InBF16IsAsCloseAsItsRounding) {
  if (!kernels::HasBF16()) GTEST_SKIP() << "no bf16 on this machine";
  for (const char* score : {"dot", "scaled_dot", "general", "cosine"}) {
    for (const std::string& modifier : ModifierNames()) {
      for (const char* mask : {"", "causal", "padding && window(20)"}) {
        for (const TestSizes& sizes :
             {TestSizes{2, 3, 70}, TestSizes{2, 70, 131}}) {
          TestRow row{score, modifier, "", "softmax"};
          SCOPED_TRACE(testing::PrintToString(row) + mask);
          AttentionSpec spec = SpecOf(row, sizes);
          spec.mask = ParseMask(mask, {2, sizes.queries, sizes.keys});
          const Result exact = AttentionUnderTest(spec, sizes, DType::kF64)
                                   .Run(WantWeights::kDifferentiable);
          spec.precision = kernels::Precision::kBF16;
          const Result rounded = AttentionUnderTest(spec, sizes, DType::kF32)
                                     .Run(WantWeights::kNo);
          ExpectAsCloseAs(exact, rounded, exact, 0x1p-6);
        }
      }
    }
  }
}

TEST(Attention, IsTheSameWithEveryInstructionSet) {
  const TestSizes few{2, 3, 67};
  const TestSizes many{2, 21, 67};
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (const char* score : {"scaled_dot", "additive", "graph"}) {
      for (const char* modifier :
           {"", "soft_cap", "alibi", "strength", "local_p", "local_p_scores",
            "learned_bias"}) {
        for (const char* mask : {"", "causal", "padding"}) {
          const TestRow row{score, modifier, mask, "softmax"};
          SCOPED_TRACE(testing::PrintToString(row));
          ExpectFusedIsComposed(SpecOf(row, few), few);
          ExpectFusedIsComposed(SpecOf(row, many), many);
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// The keys of each query in the order of their weights [T][S].
std::vector<std::vector<int64_t>> RankingsOf(const std::string& score) {
  constexpr int64_t kQueries = 12;
  constexpr int64_t kKeys = 7;
  AttentionSpec spec = TestSpec(score);
  spec.heads = spec.key_heads = 1;
  spec.query = spec.key = spec.value = 5;
  ParameterSet set(7, DType::kF64, kernels::Precision::kNative);
  const Attention attention(Scope(set, "attention"), spec);
  const Tensor keys = RandomTensor({1, kKeys, 5}, 1);
  const Tensor queries = RandomTensor({1, kQueries, 5}, 2);
  const Tensor weights =
      attention
          .Attend({}, kernels::Scale(queries, 5),
                  attention.Prepare({}, kernels::Scale(keys, 5), keys),
                  {.want = WantWeights::kValues})
          .weights.value();
  std::vector<std::vector<int64_t>> rankings;
  for (int64_t t = 0; t < kQueries; ++t) {
    const double* row = weights[0][0].row<double>(t);
    std::vector<int64_t>& order = rankings.emplace_back();
    for (int64_t s = 0; s < kKeys; ++s) order.push_back(s);
    std::ranges::sort(order, std::greater(), [&](int64_t s) { return row[s]; });
  }
  return rankings;
}

// Theorem of Brody et al. 2021: LeakyReLU is monotonic, and its argument is the
// sum of one term of the query and one of the key.
TEST(Attention, ByTheGraphScoreAllQueriesRankKeysAlike) {
  for (const char* score : {"graph", "graph(0.2, 1)", "graph(0.01)"}) {
    const auto rankings = RankingsOf(score);
    for (const auto& one : rankings) EXPECT_EQ(one, rankings[0]) << score;
  }
}

TEST(Attention, ByScoresWithHiddenUnitsTheRankingDependsOnTheQuery) {
  for (const char* score : {"leaky_additive", "additive"}) {
    const auto rankings = RankingsOf(score);
    EXPECT_TRUE(std::ranges::any_of(rankings, [&](const auto& one) {
      return one != rankings[0];
    })) << score;
  }
}

TEST(Attention, ByTheUniformScoreItIsTheMean) {
  AttentionSpec spec = TestSpec("uniform");
  spec.heads = spec.key_heads = 1;
  spec.query = spec.key = spec.value = 2;
  spec.mask = Padding(Lengths({2}));
  ParameterSet set(1, DType::kF32, kernels::Precision::kNative);
  const Attention attention(Scope(set, "attention"), spec);
  EXPECT_EQ(set.elements(), 0);
  const Tensor keys = Tensor::Of<float>({1, 2, 3, 6, 9, 9}, {1, 3, 2});
  EXPECT_EQ(attention
                .Attend({}, RandomTensor({1, 1, 2}, 1, DType::kF32),
                        attention.Prepare({}, keys, keys))
                .context.value()
                .ToVector<float>(),
            (std::vector<float>{2, 4}));
}

TEST(Attention, SoftmaxWeightsSumToOneWhereThereAreKeys) {
  const TestSizes sizes{2, 11, 17};
  for (const ScoreInfo& score : Scores()) {
    for (const char* mask : {"", "strict_causal", "padding(0.5)"}) {
      SCOPED_TRACE(score.name + " " + mask);
      const TestRow row{score.name, "", mask, "softmax"};
      AttentionSpec spec = SpecOf(row, sizes);
      const AttentionUnderTest test(spec, sizes, DType::kF32);
      const Tensor weights =
          test.Attend({}, WantWeights::kValues).weights.value();
      for (int64_t r = 0; r < weights.rows(); ++r) {
        const int64_t t = r % weights.dim(2);
        const int64_t b = r / weights.dim(2) / spec.heads;
        double sum = 0;
        bool any = false;
        for (int64_t s = 0; s < sizes.keys; ++s) {
          const double weight = kernels::At(weights, r, s);
          const bool may = spec.mask.May(b, t, s);
          if (may) {
            EXPECT_GT(weight, 0);
          } else {
            EXPECT_EQ(weight, 0);
          }
          any = any || may;
          sum += weight;
        }
        EXPECT_NEAR(sum, any ? 1 : 0, 1e-6);
      }
    }
  }
}

TEST(Attention, TheFirstQueryOfAStrictMaskGetsZeros) {
  AttentionSpec spec = TestSpec();
  spec.mask = StrictCausal();
  for (const DType dtype : {DType::kF64, DType::kF32}) {
    const Tensor context =
        AttentionUnderTest(spec, {2, 12, 12}, dtype).ContextOf();
    for (int64_t b = 0; b < 2; ++b) {
      EXPECT_EQ(Largest(context[b][0]), 0);
      EXPECT_GT(Largest(context[b][1]), 0);
    }
  }
}

TEST(Attention, ScaledDotIsDotOverTheRootOfTheWidth) {
  AttentionUnderTest dot(TestSpec("dot"), {}, DType::kF64);
  const AttentionUnderTest scaled(TestSpec("scaled_dot"), {}, DType::kF64);
  dot.query = kernels::Scale(dot.query, 0.5);  // 4 features
  EXPECT_LT(MaxDifference(dot.ContextOf(), scaled.ContextOf()), 1e-15);
}

TEST(Attention, CosineDoesNotDependOnLengthsOfVectors) {
  AttentionUnderTest test(TestSpec("cosine"), {}, DType::kF64);
  const Tensor before = test.ContextOf();
  test.query = kernels::Scale(test.query, 7);
  test.keys = kernels::Scale(test.keys, 0.3);
  EXPECT_LT(MaxDifference(test.ContextOf(), before), 1e-6);
}

TEST(Attention, LocationSeesOnlyItsFirstPositions) {
  AttentionSpec spec = TestSpec("location");
  spec.positions = 2;
  const Tensor weights = AttentionUnderTest(spec, {}, DType::kF64)
                             .Attend({}, WantWeights::kValues)
                             .weights.value();
  for (int64_t r = 0; r < weights.rows(); ++r) {
    EXPECT_NEAR(kernels::At(weights, r, 0) + kernels::At(weights, r, 1), 1,
                1e-15);
  }
  ExpectGradientsHold(spec);
}

TEST(Attention, AGrowingMemoryLeavesCopiesOfItAlone) {
  const AttentionUnderTest test(TestSpec(), {2, 1, 6}, DType::kF32);
  const Attention& attention = test.attention();
  const auto extend = [&](Memory memory, int64_t begin, int64_t end) {
    return attention.Extend({}, std::move(memory),
                            Positions(test.keys, begin, end),
                            Positions(test.values, begin, end));
  };
  const Memory two = extend({}, 0, 2);
  const Tensor before = attention.Attend({}, test.query, two).context.value();
  const Memory three = extend(two, 2, 3);
  const Memory other = extend(three, 4, 5);
  const Memory next = extend(three, 3, 6);
  EXPECT_EQ(two.size(), 2);
  EXPECT_EQ(three.size(), 3);
  EXPECT_EQ(next.size(), 6);
  EXPECT_EQ(MaxDifference(attention.Attend({}, test.query, two).context.value(),
                          before),
            0);
  EXPECT_LT(
      MaxDifference(attention.Attend({}, test.query, next).context.value(),
                    test.ContextOf()),
      1e-6);
}

TEST(Attention, AMemoryOfKeysThatAreTheValuesGrows) {
  AttentionSpec spec = TestSpec();
  spec.key_heads = 2;
  spec.key = spec.value = 8;
  AttentionUnderTest test(spec, {2, 1, 6}, DType::kF32);
  test.values = test.keys;
  Memory memory;
  for (int64_t s = 0; s < 6; ++s) {
    const Tensor x = Positions(test.keys, s, s + 1);
    memory = test.attention().Extend({}, std::move(memory), x, x);
  }
  EXPECT_LT(MaxDifference(
                test.attention().Attend({}, test.query, memory).context.value(),
                test.ContextOf()),
            1e-6);
}

TEST(Attention, PreparedQueriesAreAttendedAsOthers) {
  for (const char* modifier : {"", "alibi", "rotary", "learned_bias(9)"}) {
    AttentionSpec spec = TestSpec("scaled_dot", modifier);
    spec.mask = Causal();
    const AttentionUnderTest test(spec, {2, 4, 4}, DType::kF32);
    const Memory memory = test.attention().Prepare({}, test.keys, test.values);
    const Attended attended =
        test.attention().Attend({}, test.query, memory, {.prepared = true});
    EXPECT_EQ(MaxDifference(attended.context.value(), test.ContextOf()), 0);
  }
}

/// A few queries of a dot product read the bf16 memory directly; other
/// attention converts it to f32.
TEST(Attention, OfAMemoryInBF16IsThatOfTheRoundedOne) {
  for (const char* score : {"scaled_dot", "dot", "additive", "general"}) {
    for (const int64_t queries : {1, 5, 20}) {
      for (const bool grown : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", score, queries, grown));
        AttentionSpec spec = TestSpec(score, "alibi");
        spec.mask = Padding(Lengths({130, 70}));
        const AttentionUnderTest test(spec, {2, queries, 150}, DType::kF32);
        Memory memory = test.attention().Prepare({}, test.keys, test.values);
        if (grown) memory.filled = 130;
        const Memory half = memory.InBF16();
        EXPECT_EQ(half.keys.value().bytes() * 2, memory.keys.value().bytes());
        Memory rounded = half;
        rounded.keys = half.keys.value().To(DType::kF32);
        rounded.values = half.values.value().To(DType::kF32);
        const Attended seen = test.attention().Attend(
            {}, test.query, half, {.want = WantWeights::kValues});
        const Attended expected = test.attention().Attend(
            {}, test.query, rounded, {.want = WantWeights::kValues});
        EXPECT_EQ(MaxDifference(seen.context.value(), expected.context.value()),
                  0);
        EXPECT_EQ(MaxDifference(seen.weights.value(), expected.weights.value()),
                  0);
        EXPECT_LT(MaxDifference(seen.context.value(),
                                test.attention()
                                    .Attend({}, test.query, memory)
                                    .context.value()),
                  0.03);
      }
    }
  }
}

/// The previous weights keep their type when the memory is stored in bf16.
TEST(Attention, OfAMemoryInBF16ReadsTheStepBefore) {
  const AttentionUnderTest test(TestSpec("scaled_dot", "median_window(9)"),
                                {2, 4, 30}, DType::kF32);
  const Memory half =
      test.attention().Prepare({}, test.keys, test.values).InBF16();
  Memory rounded = half;
  rounded.keys = half.keys.value().To(DType::kF32);
  rounded.values = half.values.value().To(DType::kF32);
  for (const int64_t queries : {0, 1, 4}) {
    const Tensor query = Positions(test.query, 0, queries);
    EXPECT_EQ(MaxDifference(
                  test.attention().Attend({}, query, half).context.value(),
                  test.attention().Attend({}, query, rounded).context.value()),
              0)
        << queries;
  }
}

/// Checks that each row with a visible key selects exactly one key.
void ExpectOneHot(const Tensor& weights, const Mask& mask) {
  for (int64_t r = 0; r < weights.rows(); ++r) {
    const int64_t t = r % weights.dim(2);
    const int64_t b = r / (weights.dim(1) * weights.dim(2));
    double sum = 0;
    bool any = false;
    for (int64_t s = 0; s < weights.dim(3); ++s) {
      const double weight = kernels::At(weights, r, s);
      EXPECT_TRUE(weight == 0 || (weight == 1 && mask.May(b, t, s)));
      any = any || mask.May(b, t, s);
      sum += weight;
    }
    EXPECT_EQ(sum, any ? 1 : 0);
  }
}

TEST(Sampling, TakesOneKeyWhileTrainingAndTheSoftmaxOtherwise) {
  const TestSizes sizes{2, 40, 7};
  for (const char* normalizer : {"gumbel", "hard"}) {
    for (const char* score : {"scaled_dot", "location_aware"}) {
      SCOPED_TRACE(std::string(normalizer) + " " + score);
      AttentionSpec spec = TestSpec(score, "", normalizer);
      spec.mask = StrictCausal() && Padding(Lengths({7, 3}));
      const AttentionUnderTest test(spec, sizes, DType::kF32);
      const auto sample = [&](uint64_t seed) {
        Rng rng(seed);
        Context ctx;
        ctx.rng = &rng;
        ctx.training = true;
        return test.Attend(ctx, WantWeights::kValues);
      };
      const Attended one = sample(1);
      ExpectOneHot(one.weights.value(), spec.mask);
      EXPECT_EQ(MaxDifference(one.weights.value(), sample(1).weights.value()),
                0);
      EXPECT_EQ(MaxDifference(one.weights.value(), sample(2).weights.value()),
                1);
      spec.normalizer = ChooseNormalizer("softmax");
      EXPECT_LT(MaxDifference(
                    test.ContextOf(),
                    AttentionUnderTest(spec, sizes, DType::kF32).ContextOf()),
                1e-6);
      const Shape rows{2, spec.heads, sizes.queries};
      const bool hard = std::string(normalizer) == "hard";
      EXPECT_EQ(one.log_probability.defined(), hard);
      EXPECT_EQ(one.entropy.defined(), hard);
      if (!hard) continue;
      EXPECT_EQ(one.log_probability.shape(), rows);
      EXPECT_EQ(one.entropy.shape(), rows);
      for (int64_t r = 0; r < rows[0] * rows[1]; ++r) {
        for (int64_t t = 0; t < sizes.queries; ++t) {
          EXPECT_LE(kernels::At(one.log_probability.value(), r, t), 0);
          EXPECT_GE(kernels::At(one.entropy.value(), r, t), 0);
        }
      }
      EXPECT_FALSE(test.Attend({}).log_probability.defined());
    }
  }
}

TEST(Sampling, LogProbabilityIsThatOfTheKeyTaken) {
  const TestSizes sizes{2, 5, 7};
  const AttentionUnderTest test(TestSpec("general", "", "hard"), sizes,
                                DType::kF64);
  Rng rng(4);
  Context ctx;
  ctx.rng = &rng;
  ctx.training = true;
  const Attended sample = test.Attend(ctx, WantWeights::kValues);
  const Tensor soft = test.Attend({}, WantWeights::kValues).weights.value();
  for (int64_t r = 0; r < soft.rows(); ++r) {
    double entropy = 0;
    double log_probability = 0;
    for (int64_t s = 0; s < sizes.keys; ++s) {
      const double p = kernels::At(soft, r, s);
      entropy -= p * std::log(p);
      log_probability +=
          kernels::At(sample.weights.value(), r, s) * std::log(p);
    }
    EXPECT_NEAR(sample.entropy.value().data<double>()[r], entropy, 1e-12);
    EXPECT_NEAR(sample.log_probability.value().data<double>()[r],
                log_probability, 1e-12);
  }
}

/// Keys are sampled as often as their weights say.
TEST(Sampling, FollowsTheSoftmax) {
  const TestSizes sizes{1, 1, 4};
  for (const char* normalizer : {"gumbel", "hard"}) {
    const AttentionUnderTest test(TestSpec("dot", "", normalizer), sizes,
                                  DType::kF64);
    const Tensor soft = test.Attend({}, WantWeights::kValues).weights.value();
    Tensor counts = Tensor::Zeros(soft.shape(), DType::kF64);
    constexpr int kSamples = 4000;
    Rng rng(8);
    Context ctx;
    ctx.rng = &rng;
    ctx.training = true;
    for (int i = 0; i < kSamples; ++i) {
      kernels::AddTo(counts,
                     test.Attend(ctx, WantWeights::kValues).weights.value(),
                     1.0 / kSamples);
    }
    EXPECT_LT(MaxDifference(counts, soft), 0.04);
  }
}

TEST(HeadWeights, IsTheMeanOfHeadsOrOneHead) {
  const Tensor weights = RandomTensor({2, 3, 2, 4}, 1);
  const Tensor mean = HeadWeights(weights);
  ASSERT_EQ(mean.shape(), (Shape{2, 2, 4}));
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t t = 0; t < 2; ++t) {
      for (int64_t s = 0; s < 4; ++s) {
        double sum = 0;
        for (int64_t h = 0; h < 3; ++h) {
          sum += kernels::At(weights[b][h], t, s);
        }
        EXPECT_NEAR(kernels::At(mean[b], t, s), sum / 3, 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace heed
