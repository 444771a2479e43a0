#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/attention.h"
#include "heed/kernels/attention_testing.h"
#include "heed/kernels/cpu/attention_paths.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/instructions_testing.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::attention_tiled_test {
namespace {

using Kind = ScoreModifier::Kind;

/// Band mask, keys in (t - width, t], with exact block extents.
class Band : public MaskRule {
 public:
  explicit Band(int64_t width) : width_(width) {}
  void Row(int64_t, int64_t t, Range keys, uint8_t* may) const override {
    for (int64_t s = keys.begin; s < keys.end; ++s) {
      *may++ = s <= t && s > t - width_ ? 1 : 0;
    }
  }
  Extent Block(int64_t, Range queries, Range keys) const override {
    const int64_t last = queries.end - 1;
    if (keys.begin > last || keys.end - 1 <= queries.begin - width_) {
      return Extent::kNone;
    }
    const bool all =
        keys.end - 1 <= queries.begin && keys.begin > last - width_;
    return all ? Extent::kAll : Extent::kSome;
  }

 private:
  int64_t width_;
};

/// Irregular mask; every fifth query sees nothing.
class Scattered : public MaskRule {
 public:
  void Row(int64_t b, int64_t t, Range keys, uint8_t* may) const override {
    for (int64_t s = keys.begin; s < keys.end; ++s) {
      *may++ = t % 5 != 0 && (7 * s + 3 * t + b) % 3 != 0 ? 1 : 0;
    }
  }
};

struct Sizes {
  int64_t B, T, S, H, K, A, D;
};

/// Attention with strided rows, and its gradients.
struct Case {
  explicit Case(const Sizes& sizes) : n(sizes) {
    args.q = RandomSlice({n.B, n.T, n.H * n.A}, DType::kF32, rng);
    args.k = RandomSlice({n.B, n.S, n.K * n.A}, DType::kF32, rng);
    args.v = RandomSlice({n.B, n.S, n.K * n.D}, DType::kF32, rng);
    args.value = 1 / std::sqrt(static_cast<double>(n.A));
    args.heads = n.H;
    args.key_heads = n.K;
    dcontext = RandomSlice({n.B, n.T, n.H * n.D}, DType::kF32, rng);
  }

  void Modify(Kind kind, double value, const Shape& shape = {}, double low = -1,
              double high = 1) {
    Tensor x;
    if (shape.rank() > 0) {
      x = Tensor(shape);
      for (int64_t i = 0; i < x.numel(); ++i) {
        x.data<float>()[i] = static_cast<float>(rng.Uniform(low, high));
      }
    }
    args.modifiers.push_back({kind, value, x});
  }

  void Run() {
    result = TiledAttention(args);
    weights = TiledAttentionWeights(args, result.log_sum);
    grads.dq = RandomSlice(args.q.shape(), DType::kF32, rng);
    grads.dk = RandomSlice(args.k.shape(), DType::kF32, rng);
    grads.dv = RandomSlice(args.v.shape(), DType::kF32, rng);
    grads.modifiers.clear();
    for (const ScoreModifier& m : args.modifiers) {
      const bool wanted = m.x.defined() && m.kind != Kind::kWindow;
      grads.modifiers.push_back(wanted ? Tensor::Full(m.x.shape(), 0.5)
                                       : Tensor());
    }
    const auto wide = [](const Tensor& x) {
      return x.defined() ? x.To(DType::kF64) : x;
    };
    expected = {wide(grads.dq), wide(grads.dk), wide(grads.dv), {}, {}};
    for (const Tensor& x : grads.modifiers) {
      expected.modifiers.push_back(wide(x));
    }
    TiledAttentionGrad(args, result, dcontext, grads);
  }

  /// Checks all results against the reference.
  void Expect(double tolerance) {
    Run();
    const ReferenceResult reference = ReferenceAttention(args);
    ReferenceAttentionGrad(args, dcontext, expected);
    Compare("context", result.context, reference.context, tolerance);
    Compare("log_sum", result.log_sum, reference.log_sum, tolerance);
    Compare("weights", weights, reference.weights, tolerance);
    Compare("dq", grads.dq, expected.dq, tolerance);
    Compare("dk", grads.dk, expected.dk, tolerance);
    Compare("dv", grads.dv, expected.dv, tolerance);
    for (size_t i = 0; i < args.modifiers.size(); ++i) {
      if (!grads.modifiers[i].defined()) continue;
      Compare("dx", grads.modifiers[i], expected.modifiers[i], 4 * tolerance);
    }
  }

  static void Compare(const char* what, const Tensor& got,
                      const Tensor& expected, double tolerance) {
    for (int64_t r = 0; r < got.rows(); ++r) {
      for (int64_t c = 0; c < got.cols(); ++c) {
        const double e = At(expected, r, c);
        if (At(got, r, c) == e) continue;  // also if infinite
        ASSERT_NEAR(At(got, r, c), e, tolerance * std::max(1.0, std::abs(e)))
            << what << " at " << r << ", " << c << " of "
            << got.shape().ToString();
      }
    }
  }

  Rng rng{5};
  Sizes n;
  AttentionArgs args;
  Tensor dcontext, weights;
  AttentionResult result;
  AttentionGrads grads, expected;
};

constexpr double kTolerance = 2e-5;

/// Sizes around the boundaries of vectors, tiles and blocks.
const std::vector<Sizes> kSizes = {
    {1, 9, 0, 1, 1, 3, 3},      {1, 9, 1, 1, 1, 1, 1},
    {2, 15, 9, 2, 2, 3, 1},     {1, 16, 15, 2, 1, 15, 17},
    {2, 17, 16, 1, 1, 16, 16},  {1, 63, 17, 4, 2, 17, 3},
    {1, 64, 63, 2, 2, 63, 64},  {1, 65, 64, 1, 1, 64, 63},
    {1, 127, 65, 2, 1, 65, 15}, {1, 129, 127, 1, 1, 64, 64},
    {1, 17, 129, 3, 1, 80, 65}, {1, 9, 257, 1, 1, 16, 80},
    {1, 70, 300, 2, 2, 5, 6},   {40, 9, 17, 1, 1, 8, 8}};

class TiledAttentionTest : public hwy::TestWithParamTarget {
 protected:
  template <typename Prepare>
  void ForSizes(double tolerance, const Prepare& prepare) {
    for (const Sizes& n : kSizes) {
      SCOPED_TRACE(Shape({n.B, n.T, n.S, n.A, n.D}).ToString());
      Case c(n);
      prepare(c);
      c.Expect(tolerance);
      if (HasFatalFailure()) return;
    }
  }
};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(TiledAttentionTest);

TEST_P(TiledAttentionTest, IsTheFormula) {
  ForSizes(kTolerance, [](Case&) {});
}

TEST_P(TiledAttentionTest, OfBF16IsNearTheFormula) {
  ForSizes(0.06, [](Case& c) { c.args.precision = Precision::kBF16; });
}

TEST_P(TiledAttentionTest, LooksOnlyWhereTheMaskAllows) {
  const Scattered scattered;
  ForSizes(kTolerance, [&](Case& c) { c.args.mask = &scattered; });
  const Band band(70);
  ForSizes(kTolerance, [&](Case& c) {
    c.args.mask = &band;
    c.args.query_offset = 3;
  });
}

TEST_P(TiledAttentionTest, OfBF16LooksOnlyWhereTheMaskAllows) {
  const Band band(70);
  ForSizes(0.06, [&](Case& c) {
    c.args.mask = &band;
    c.args.precision = Precision::kBF16;
  });
}

TEST_P(TiledAttentionTest, ModifiesScores) {
  ForSizes(kTolerance, [](Case& c) {
    const Sizes& n = c.n;
    c.Modify(Kind::kScale, 0.7);
    c.Modify(Kind::kRowScale, 0, {n.B, n.H, n.T});
    c.Modify(Kind::kBias, 0, {n.B, n.H, n.T, n.S});
    c.Modify(Kind::kDistanceBias, 0, {n.H, n.T + n.S - 1});
    c.Modify(Kind::kSoftCap, 1.5);
  });
}

TEST_P(TiledAttentionTest, SharesBiases) {
  ForSizes(kTolerance, [](Case& c) {
    c.Modify(Kind::kBias, 0, {1, 1, c.n.T, c.n.S});
    c.Modify(Kind::kDistanceBias, 0, {1, c.n.T + c.n.S - 1});
  });
  ForSizes(kTolerance, [](Case& c) {
    c.Modify(Kind::kBias, 0, {1, c.n.H, 1, c.n.S});
    c.Modify(Kind::kBias, 0, {c.n.B, 1, c.n.T, c.n.S});
  });
  ForSizes(kTolerance, [](Case& c) {
    c.Modify(Kind::kDistanceBias, 0, {1, c.n.T + c.n.S - 1});
  });
}

TEST_P(TiledAttentionTest, WeighsByGaussiansAndDropsOut) {
  const Band band(70);
  ForSizes(kTolerance, [&](Case& c) {
    const auto end = static_cast<double>(c.n.S);
    const Shape centres{c.n.B, c.n.H, c.n.T};
    c.Modify(Kind::kWindow, 60, centres, 0, end);
    c.Modify(Kind::kGaussianScores, 9, centres, 0, end);
    c.Modify(Kind::kGaussianWeights, 12, centres, 0, end);
    c.args.mask = &band;
    c.args.dropout = 0.3;
    c.args.dropout_key = 99;
  });
}

TEST_P(TiledAttentionTest, TakesHugeScores) {
  for (const double scale : {1e4, 1e8, 1e30}) {
    Case c({1, 20, 70, 1, 1, 4, 5});
    c.args.value = scale;
    c.Run();
    for (int64_t t = 0; t < 20; ++t) {
      for (int64_t d = 0; d < 5; ++d) {
        ASSERT_LE(std::abs(At(c.result.context, t, d)), 2) << scale;
      }
    }
    for (const Tensor& x : {c.weights, c.grads.dq, c.grads.dk, c.grads.dv}) {
      ASSERT_TRUE(std::isfinite(Dot(x, x))) << scale;
    }
  }
}

TEST_P(TiledAttentionTest, TakesInfiniteBiases) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Case c({1, 20, 70, 1, 1, 4, 5});
  c.Modify(Kind::kBias, 0, {1, 1, 20, 70});
  float* bias = c.args.modifiers[0].x.data<float>();
  for (int64_t i = 0; i < 20 * 70; ++i) {
    if (i % 3 == 0 || i / 70 == 7) bias[i] = -kInfinity;
  }
  c.Run();
  ASSERT_EQ(c.result.log_sum.data<float>()[7], -kInfinity);
  for (int64_t d = 0; d < 5; ++d) ASSERT_EQ(At(c.result.context, 7, d), 0);
  for (const Tensor& x : {c.result.context, c.weights, c.grads.dq, c.grads.dk,
                          c.grads.dv, c.grads.modifiers[0]}) {
    ASSERT_TRUE(std::isfinite(Dot(x, x)));
  }
}

/// Context and gradients from products that store all scores.
struct Plain {
  explicit Plain(const Case& c) {
    const Precision precision = c.args.precision;
    const auto multiply = [&](const Tensor& a, const Tensor& b,
                              bool transpose) {
      PackedMatrix packed;
      Pack(b, transpose, precision, packed);
      Tensor y({a.dim(0), transpose ? b.dim(0) : b.dim(1)});
      Multiply(a, packed, false, y);
      return y;
    };
    const auto multiply_transposed = [&](const Tensor& a, const Tensor& b) {
      Tensor y({a.dim(1), b.dim(1)});
      MultiplyTransposed(a, b, false, precision, y);
      return y;
    };
    const auto scaled = [&](Tensor x) {
      for (int64_t i = 0; i < x.numel(); ++i) {
        x.data<float>()[i] *= static_cast<float>(c.args.value);
      }
      return x;
    };
    const Tensor q = c.args.q[0];
    const Tensor k = c.args.k[0];
    const Tensor v = c.args.v[0];
    const Tensor dc = c.dcontext[0];
    const Shape block{1, c.n.T, c.n.S};
    const Tensor e = scaled(multiply(q, k, true)).Reshape(block);
    const Tensor weights = RowSoftmax(e);
    const Tensor a = weights.Reshape({c.n.T, c.n.S});
    context = multiply(a, v, false);
    const Tensor da = multiply(dc, v, true).Reshape(block);
    const Tensor de =
        scaled(RowSoftmaxGrad(da, weights).Reshape({c.n.T, c.n.S}));
    dq = multiply(de, k, false);
    dk = multiply_transposed(de, q);
    dv = multiply_transposed(a, dc);
  }
  Tensor context, dq, dk, dv;
};

/// Root of the sum of the squares of x - expected.
double Error(const Tensor& x, const Tensor& expected) {
  double sum = 0;
  for (int64_t r = 0; r < x.rows(); ++r) {
    for (int64_t c = 0; c < x.cols(); ++c) {
      sum += std::pow(At(x, r, c) - At(expected, r, c), 2);
    }
  }
  return std::sqrt(sum);
}

TEST_P(TiledAttentionTest, IsAsExactAsThePlainComputation) {
  // Without fused multiply-add, tiles lose slightly more precision.
  const double max = IsFused(GetParam()) ? 2 : 2.2;
  for (const Precision precision : {Precision::kNative, Precision::kBF16}) {
    for (const double scale : {0.02, 0.125, 1.0}) {
      Case c({1, 130, 200, 1, 1, 64, 64});
      c.args.precision = precision;
      c.args.value = scale;
      c.Run();
      // Start gradients from 0 instead of random numbers, for full precision.
      for (Tensor* x : {&c.grads.dq, &c.grads.dk, &c.grads.dv}) x->Fill(0);
      for (Tensor* x : {&c.expected.dq, &c.expected.dk, &c.expected.dv}) {
        x->Fill(0);
      }
      TiledAttentionGrad(c.args, c.result, c.dcontext, c.grads);
      ReferenceAttentionGrad(c.args, c.dcontext, c.expected);
      const ReferenceResult reference = ReferenceAttention(c.args);
      const Plain plain(c);
      SCOPED_TRACE(scale);
      EXPECT_LE(Error(c.result.context, reference.context),
                max * Error(plain.context, reference.context));
      EXPECT_LE(Error(c.grads.dq, c.expected.dq),
                max * Error(plain.dq, c.expected.dq));
      EXPECT_LE(Error(c.grads.dk, c.expected.dk),
                max * Error(plain.dk, c.expected.dk));
      EXPECT_LE(Error(c.grads.dv, c.expected.dv),
                max * Error(plain.dv, c.expected.dv));
    }
  }
}

TEST(TiledAttentionBits, AreThoseOfAnyVectors) {
  for (const Sizes& n :
       {Sizes{1, 300, 700, 2, 1, 33, 20}, Sizes{3, 16, 15, 8, 8, 64, 64}}) {
    for (const bool modified : {false, true}) {
      SCOPED_TRACE(n.T);
      SCOPED_TRACE(modified);
      ExpectTheSameBits([&] {
        Case c(n);
        if (modified) {
          c.Modify(Kind::kDistanceBias, 0, {1, n.T + n.S - 1});
          c.Modify(Kind::kRowScale, 0, {n.B, n.H, n.T});
          c.Modify(Kind::kGaussianWeights, 3, {n.B, n.H, n.T}, 0, 10);
          c.args.dropout = 0.3;
        }
        c.Run();
        std::vector<Tensor> all{c.result.context, c.result.log_sum, c.weights,
                                c.grads.dq,       c.grads.dk,       c.grads.dv};
        for (const Tensor& x : c.grads.modifiers) {
          if (x.defined()) all.push_back(x);
        }
        return all;
      });
    }
  }
}

TEST_P(TiledAttentionTest, IsTheSameWithOneThread) {
  for (const Sizes& n :
       {Sizes{1, 300, 700, 2, 1, 33, 20}, Sizes{40, 70, 70, 2, 2, 16, 16}}) {
    const auto run = [&] {
      Case c(n);
      c.Modify(Kind::kDistanceBias, 0, {1, n.T + n.S - 1});
      c.Modify(Kind::kRowScale, 0, {n.B, n.H, n.T});
      c.Run();
      return c;
    };
    const Case many = run();
    const ThreadLimit limit(1);
    const Case one = run();
    EXPECT_EQ(Error(one.result.context, many.result.context), 0);
    EXPECT_EQ(Error(one.grads.dq, many.grads.dq), 0);
    EXPECT_EQ(Error(one.grads.dk, many.grads.dk), 0);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(Error(one.grads.modifiers[i], many.grads.modifiers[i]), 0);
    }
  }
}

TEST_P(TiledAttentionTest, ComputesOnlyWantedGradients) {
  Case c({1, 20, 150, 2, 1, 5, 6});
  c.Modify(Kind::kBias, 0, {1, 2, 20, 150});
  c.result = TiledAttention(c.args);
  const auto zeros = [&] {
    return std::vector<Tensor>{
        Tensor::Zeros(c.args.q.shape()), Tensor::Zeros(c.args.k.shape()),
        Tensor::Zeros(c.args.v.shape()), Tensor::Zeros({1, 2, 20, 150})};
  };
  const auto add = [&](const std::vector<Tensor>& x) {
    AttentionGrads grads{x[0], x[1], x[2], {}, {x[3]}};
    TiledAttentionGrad(c.args, c.result, c.dcontext, grads);
  };
  const std::vector<Tensor> all = zeros();
  add(all);
  for (size_t wanted = 0; wanted < all.size(); ++wanted) {
    std::vector<Tensor> one(all.size());
    one[wanted] = zeros()[wanted];
    add(one);
    EXPECT_GT(Dot(all[wanted], all[wanted]), 0) << wanted;
    EXPECT_EQ(Error(one[wanted], all[wanted]), 0) << wanted;
  }
}

}  // namespace
}  // namespace heed::kernels::attention_tiled_test
