#include "heed/kernels/fused_attention.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <array>
#include <string>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/attention_testing.h"
#include "heed/kernels/cpu/attention_paths.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::fused_attention_test {
namespace {

using Score = AttentionArgs::Score;
using Kind = ScoreModifier::Kind;

/// Padding mask of 2/3, 3/3, 0/3 .. of the keys, without block extents.
class PaddingRule : public MaskRule {
 public:
  explicit PaddingRule(int64_t keys) : keys_(keys) {}
  void Row(int64_t b, int64_t, Range keys, uint8_t* may) const override {
    for (int64_t s = keys.begin; s < keys.end; ++s) {
      *may++ = s < (b + 2) % 4 * keys_ / 3 ? 1 : 0;
    }
  }

 private:
  int64_t keys_;
};

/// Causal mask with exact block extents.
class CausalRule : public MaskRule {
 public:
  void Row(int64_t, int64_t t, Range keys, uint8_t* may) const override {
    for (int64_t s = keys.begin; s < keys.end; ++s) *may++ = s <= t ? 1 : 0;
  }
  Extent Block(int64_t, Range queries, Range keys) const override {
    if (keys.begin >= queries.end) return Extent::kNone;
    return keys.end - 1 <= queries.begin ? Extent::kAll : Extent::kSome;
  }
};

/// Irregular mask, with queries that see nothing.
class ScatteredRule : public MaskRule {
 public:
  void Row(int64_t b, int64_t t, Range keys, uint8_t* may) const override {
    for (int64_t s = keys.begin; s < keys.end; ++s) {
      *may++ = t % 4 != 1 && (5 * s + 3 * t + b) % 7 < 3 ? 1 : 0;
    }
  }
};

/// Indices of the properties of a case in their lists.
struct CaseIndex {
  Score score;
  int modifiers;
  int mask;
  bool dropout;
  bool shared_keys;
  int64_t T, S, A, D;
  int64_t batch = 2;
};

constexpr int kModifierLists = 15;
constexpr int kMasks = 4;

/// Arguments with strided rows, and their owners.
struct Case {
  explicit Case(const CaseIndex& index)
      : padding(index.S), rng(static_cast<uint64_t>(index.T * 1000 + index.S)) {
    const int64_t heads = index.shared_keys ? 4 : 2;
    args.score = index.score;
    args.value = index.score == Score::kDot ? 0.2 : 0.3;
    args.heads = heads;
    args.key_heads = 2;
    args.q = RandomSlice({index.batch, index.T, heads * index.A}, dtype, rng);
    args.k = RandomSlice({index.batch, index.S, 2 * index.A}, dtype, rng);
    args.v = RandomSlice({index.batch, index.S, 2 * index.D}, dtype, rng);
    if (index.score != Score::kDot) args.w = Random({heads, index.A}, -1, 1);
    const std::array<const MaskRule*, kMasks> masks{nullptr, &padding, &causal,
                                                    &scattered};
    args.mask = At(masks, index.mask);
    args.query_offset = index.mask == 2 ? index.S / 2 : 0;
    args.dropout = index.dropout ? 0.3 : 0;
    args.dropout_key = 77;
    AddModifiers(index.modifiers);
  }
  Case(const Case&) = delete;  // args.mask points into it
  Case& operator=(const Case&) = delete;

  Tensor Random(const Shape& shape, double low, double high) {
    Tensor x(shape, dtype);
    for (int64_t r = 0; r < x.rows(); ++r) {
      for (int64_t c = 0; c < x.cols(); ++c) {
        SetAt(x, r, c, rng.Uniform(low, high));
      }
    }
    return x;
  }

  void AddModifiers(int list) {
    const int64_t B = args.batch();
    const int64_t H = args.heads;
    const int64_t T = args.queries();
    const int64_t S = args.keys();
    const Shape rows{B, H, T};
    const auto add = [&](Kind kind, double value, Tensor x) {
      args.modifiers.push_back({kind, value, std::move(x)});
    };
    const auto centres = [&] {
      return Random(rows, -1, static_cast<double>(S) + 1);
    };
    switch (list) {
      case 1:
        return add(Kind::kScale, -0.7, Tensor());
      case 2:
        return add(Kind::kRowScale, 1, Random(rows, -1, 2));
      case 3:
        return add(Kind::kSoftCap, 1.5, Tensor());
      case 4:
        return add(Kind::kBias, 1, Random({B, H, T, S}, -1, 1));
      case 5:
        return add(Kind::kBias, 1, Random({1, H, T, S}, -1, 1));
      case 6:
        return add(Kind::kBias, 1, Random({B, 1, 1, S}, -1, 1));
      case 7:
        return add(Kind::kBias, 1, Random({1, 1, 1, S}, -1, 1));
      case 8:
        return add(Kind::kDistanceBias, 1, Random({H, T + S - 1}, -1, 1));
      case 9:
        return add(Kind::kDistanceBias, 1, Random({1, T + S - 1}, -1, 1));
      case 10:
        return add(Kind::kGaussianScores, 6, centres());
      case 11:
        return add(Kind::kGaussianWeights, 5, centres());
      case 12:
        return add(Kind::kWindow, 4.25, centres());
      case 13:
        add(Kind::kSoftCap, 2, Tensor());
        add(Kind::kRowScale, 1, Random(rows, -1, 2));
        add(Kind::kGaussianScores, 9, centres());
        add(Kind::kGaussianWeights, 8, centres());
        return add(Kind::kGaussianWeights, 20, centres());
      case 14:
        add(Kind::kWindow, 30, centres());
        add(Kind::kGaussianScores, 9, centres());
        add(Kind::kScale, -1.5, Tensor());
        return add(Kind::kSoftCap, 2, Tensor());
      default:
        break;
    }
  }

  static constexpr DType dtype = DType::kF32;
  PaddingRule padding;
  CausalRule causal;
  ScatteredRule scattered;
  AttentionArgs args;
  Rng rng;
};

/// Covers every score, modifier, mask, dropout and key sharing, with sizes
/// around the boundaries of vectors and blocks.
template <typename Body>
void ForCases(const Body& body) {
  constexpr std::array<int64_t, 5> kT{1, 2, 3, 8, 11};
  constexpr std::array<int64_t, 11> kS{1,  3,   15, 17,  63, 65,
                                       30, 127, 5,  129, 64};
  constexpr std::array<int64_t, 7> kA{1, 3, 15, 17, 16, 65, 33};
  constexpr std::array<int64_t, 6> kD{64, 1, 17, 3, 65, 15};
  size_t i = 0;
  for (const Score score : {Score::kDot, Score::kTanh, Score::kLeaky}) {
    for (int modifiers = 0; modifiers < kModifierLists; ++modifiers) {
      for (int mask = 0; mask < kMasks; ++mask) {
        for (const bool dropout : {false, true}) {
          const bool shared_keys = (i / 2 + i / 8) % 2 == 1;
          const CaseIndex index{score,
                                modifiers,
                                mask,
                                dropout,
                                shared_keys,
                                kT[i % kT.size()],
                                kS[i % kS.size()],
                                kA[i % kA.size()],
                                kD[i % kD.size()]};
          ++i;
          SCOPED_TRACE("score " + std::to_string(static_cast<int>(score)) +
                       ", modifiers " + std::to_string(modifiers) + ", mask " +
                       std::to_string(mask) + (dropout ? ", dropout" : "") +
                       (shared_keys ? ", shared keys, " : ", ") +
                       Shape({index.T, index.S, index.A, index.D}).ToString());
          Case n(index);
          body(n);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

template <typename Body>
void ForTargets(const Body& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

/// Checks each element of x, relative to the larger of 1 and the expected
/// value.
void ExpectSame(const Tensor& x, const Tensor& expected, double tolerance) {
  ASSERT_EQ(x.shape(), expected.shape());
  ExpectEach(x, tolerance,
             [&](int64_t r, int64_t c) { return At(expected, r, c); });
}

TEST(DirectAttention, IsTheFormula) {
  ForCases([](const Case& n) {
    const ReferenceResult expected = ReferenceAttention(n.args);
    ForTargets([&] {
      const AttentionResult result = DirectAttention(n.args);
      ExpectSame(result.context, expected.context, 1e-5);
      const int64_t rows = expected.log_sum.numel();
      for (int64_t i = 0; i < rows; ++i) {
        const double log_sum = Element(expected.log_sum, i);
        if (std::isinf(log_sum)) {
          ASSERT_EQ(Element(result.log_sum, i), log_sum);
        } else {
          ASSERT_NEAR(Element(result.log_sum, i), log_sum,
                      1e-6 * std::max(10.0, std::abs(log_sum)));
        }
      }
      ExpectSame(DirectAttentionWeights(n.args, result.log_sum),
                 expected.weights, 1e-5);
    });
  });
}

/// Gradients shaped like `like`, all 1, with strided rows if `like` has them.
Tensor Ones(const Tensor& like) {
  if (!like.defined()) return Tensor();
  Tensor x = like;
  if (!like.contiguous()) {
    Rng rng;
    x = RandomSlice(like.shape(), like.dtype(), rng);
  } else {
    x = like.Clone();
  }
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t c = 0; c < x.cols(); ++c) SetAt(x, r, c, 1);
  }
  return x;
}

AttentionGrads OnesOf(const AttentionArgs& args) {
  AttentionGrads grads{
      Ones(args.q), Ones(args.k), Ones(args.v), Ones(args.w), {}};
  for (const ScoreModifier& m : args.modifiers) {
    const bool constant = m.kind == Kind::kWindow;
    grads.modifiers.push_back(constant ? Tensor() : Ones(m.x));
  }
  return grads;
}

AttentionGrads InDouble(const AttentionGrads& grads) {
  const auto convert = [](const Tensor& x) {
    return x.defined() ? x.To(DType::kF64) : Tensor();
  };
  AttentionGrads copy{convert(grads.dq),
                      convert(grads.dk),
                      convert(grads.dv),
                      convert(grads.dw),
                      {}};
  for (const Tensor& x : grads.modifiers) copy.modifiers.push_back(convert(x));
  return copy;
}

void ExpectSameGrads(const AttentionGrads& grads,
                     const AttentionGrads& expected, double tolerance) {
  const auto expect = [&](const char* name, const Tensor& x, const Tensor& y) {
    SCOPED_TRACE(name);
    if (x.defined()) ExpectSame(x, y, tolerance);
  };
  expect("dq", grads.dq, expected.dq);
  expect("dk", grads.dk, expected.dk);
  expect("dv", grads.dv, expected.dv);
  expect("dw", grads.dw, expected.dw);
  for (size_t i = 0; i < grads.modifiers.size(); ++i) {
    expect("modifier", grads.modifiers[i], expected.modifiers[i]);
  }
}

Tensor RandomLike(const Tensor& x, Rng& rng) {
  return RandomSlice(x.shape(), x.dtype(), rng);
}

TEST(DirectAttention, GradIsTheFormula) {
  ForCases([](Case& n) {
    AttentionGrads expected = InDouble(OnesOf(n.args));
    const Tensor dcontext = RandomLike(DirectAttention(n.args).context, n.rng);
    ReferenceAttentionGrad(n.args, dcontext, expected);
    ForTargets([&] {
      AttentionGrads grads = OnesOf(n.args);
      DirectAttentionGrad(n.args, DirectAttention(n.args), dcontext, grads);
      ExpectSameGrads(grads, expected, 5e-5);
    });
  });
}

TEST(DirectAttention, GivesOnlyTheGradientsThatAreWanted) {
  for (const Score score : {Score::kDot, Score::kTanh}) {
    Case n({score, 8, 1, true, true, 3, 70, 17, 5});
    const AttentionResult result = DirectAttention(n.args);
    const Tensor dcontext = RandomLike(result.context, n.rng);
    AttentionGrads all = OnesOf(n.args);
    DirectAttentionGrad(n.args, result, dcontext, all);
    const AttentionGrads expected = InDouble(all);
    for (int i = 0; i < 5; ++i) {
      AttentionGrads grads;
      const AttentionGrads ones = OnesOf(n.args);
      if (i == 0) grads.dq = ones.dq;
      if (i == 1) grads.dk = ones.dk;
      if (i == 2) grads.dv = ones.dv;
      if (i == 3) grads.dw = ones.dw;
      if (i == 4) grads.modifiers = ones.modifiers;
      DirectAttentionGrad(n.args, result, dcontext, grads);
      ExpectSameGrads(grads, expected, 0);
    }
  }
}

TEST(DirectAttention, ALongCacheIsTheFormula) {
  for (const Score score : {Score::kDot, Score::kTanh}) {
    for (const int list : {0, 5, 7, 9, 13}) {
      Case n({score, list, 1, true, true, 1, 9001, 16, 17, 1});
      const ReferenceResult expected = ReferenceAttention(n.args);
      AttentionResult result = DirectAttention(n.args);
      ExpectSame(result.context, expected.context, 1e-5);
      const Tensor dcontext = RandomLike(result.context, n.rng);
      AttentionGrads grads = OnesOf(n.args);
      AttentionGrads expected_grads = InDouble(grads);
      DirectAttentionGrad(n.args, result, dcontext, grads);
      ReferenceAttentionGrad(n.args, dcontext, expected_grads);
      ExpectSameGrads(grads, expected_grads, 5e-5);
    }
  }
}

/// All results and gradients, computed with `threads` threads.
std::vector<std::vector<double>> ResultsWith(int threads,
                                             const AttentionArgs& args) {
  const ThreadLimit limit(threads);
  const AttentionResult result = DirectAttention(args);
  AttentionGrads grads = OnesOf(args);
  DirectAttentionGrad(args, result, result.context, grads);
  std::vector<std::vector<double>> values;
  for (const Tensor& x : {result.context, result.log_sum, grads.dq, grads.dk,
                          grads.dv, grads.dw, grads.modifiers.back()}) {
    values.push_back(x.ToVector<double>());
  }
  return values;
}

TEST(DirectAttention, DoesNotDependOnTheNumberOfThreads) {
  for (const int list : {4, 5, 6, 7, 8, 9, 13}) {
    SCOPED_TRACE(list);
    const Case long_cache(
        {Score::kTanh, list, 1, true, true, 1, 9001, 16, 17, 1});
    const Case batch({Score::kTanh, list, 1, true, true, 8, 300, 16, 17, 4});
    for (const Case* n : {&long_cache, &batch}) {
      EXPECT_EQ(ResultsWith(1, n->args), ResultsWith(2, n->args));
    }
  }
}

TEST(DirectAttention, NothingIsNothing) {
  for (const Score score : {Score::kDot, Score::kTanh}) {
    for (const auto& [B, T, S] :
         std::vector<std::array<int64_t, 3>>{{0, 2, 3}, {2, 0, 3}, {2, 2, 0}}) {
      Case n({score, 2, 0, true, true, T, S, 5, 4, B});
      const AttentionResult result = DirectAttention(n.args);
      EXPECT_EQ(result.context.ToVector<float>(),
                std::vector<float>(static_cast<size_t>(B * T * 4 * 4)));
      for (const double x : result.log_sum.ToVector<double>()) {
        EXPECT_EQ(x, -HUGE_VAL);
      }
      EXPECT_EQ(DirectAttentionWeights(n.args, result.log_sum).numel(), 0);
      AttentionGrads grads = OnesOf(n.args);
      DirectAttentionGrad(n.args, result, result.context, grads);
      ExpectSameGrads(grads, InDouble(OnesOf(n.args)), 0);
    }
  }
}

TEST(DirectAttention, GreatScoresAreExact) {
  AttentionArgs args;
  const std::vector<float> k{-1e38F, 2, 1e38F, 1e38F, -3e38F, 0};
  args.q = Tensor::Full({1, 1, 1}, 1);
  args.k = Tensor::Of(k, {1, 6, 1});
  args.v = Tensor::Of(std::vector<float>{1, 2, 3, 4, 5, 6}, {1, 6, 1});
  for (const double sign : {1.0, -1.0}) {
    args.value = sign;
    const AttentionResult result = DirectAttention(args);
    EXPECT_EQ(result.context.item(), sign > 0 ? 3.5 : 5);
    AttentionGrads grads = OnesOf(args);
    DirectAttentionGrad(args, result, Tensor::Full({1, 1, 1}, 1), grads);
    for (const Tensor& x : {grads.dq, grads.dk, grads.dv}) {
      for (const float g : x.ToVector<float>()) EXPECT_TRUE(std::isfinite(g));
    }
  }
}

TEST(DirectAttention, NeverReadsPadding) {
  for (const Score score : {Score::kDot, Score::kLeaky}) {
    Case n({score, 0, 1, false, false, 2, 9, 5, 4});
    const Tensor expected = DirectAttention(n.args).context;
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t s = (b + 2) % 4 * 3; s < 9; ++s) {
        SetAt(n.args.k, b * 9 + s, 3, NAN);
        SetAt(n.args.v, b * 9 + s, 3, NAN);
      }
    }
    EXPECT_EQ(DirectAttention(n.args).context.ToVector<float>(),
              expected.ToVector<float>());
  }
}

TEST(DirectAttention, ANanScoreMakesItsContextNan) {
  Case n({Score::kDot, 0, 0, false, false, 1, 70, 5, 4});
  SetAt(n.args.k, 66, 1, NAN);
  EXPECT_TRUE(std::isnan(At(DirectAttention(n.args).context, 0, 0)));
}

/// Arguments converted to f64, for finite differences.
AttentionArgs InDouble(const AttentionArgs& args) {
  AttentionArgs copy = args;
  for (Tensor* x : {&copy.q, &copy.k, &copy.v, &copy.w}) {
    if (x->defined()) *x = x->To(DType::kF64);
  }
  for (ScoreModifier& m : copy.modifiers) {
    if (m.x.defined()) m.x = m.x.To(DType::kF64);
  }
  return copy;
}

TEST(AttentionReference, GradIsTheDifference) {
  for (const Score score : {Score::kDot, Score::kTanh, Score::kLeaky}) {
    for (int list = 0; list < kModifierLists; ++list) {
      SCOPED_TRACE(list);
      Case n({score, list, list % kMasks, true, true, 2, 5, 3, 2});
      AttentionArgs args = InDouble(n.args);
      const Tensor dcontext =
          RandomLike(ReferenceAttention(args).context, n.rng);
      const auto loss = [&] {
        return Dot(ReferenceAttention(args).context, dcontext);
      };
      AttentionGrads grads = OnesOf(args);
      for (Tensor* x : {&grads.dq, &grads.dk, &grads.dv, &grads.dw}) {
        if (x->defined()) x->Fill(0);
      }
      for (Tensor& x : grads.modifiers) {
        if (x.defined()) x.Fill(0);
      }
      ReferenceAttentionGrad(args, dcontext, grads);
      ExpectGradient(grads.dq, args.q, loss);
      ExpectGradient(grads.dk, args.k, loss);
      ExpectGradient(grads.dv, args.v, loss);
      if (grads.dw.defined()) ExpectGradient(grads.dw, args.w, loss);
      for (size_t i = 0; i < grads.modifiers.size(); ++i) {
        if (!grads.modifiers[i].defined()) continue;
        ExpectGradient(grads.modifiers[i], args.modifiers[i].x, loss);
      }
    }
  }
}

}  // namespace
}  // namespace heed::kernels::fused_attention_test
