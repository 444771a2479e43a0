#include "heed/kernels/sparse_attention.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/testing.h"

namespace heed::kernels::sparse_attention_test {
namespace {

using Score = AttentionArgs::Score;

Tensor Ints(const std::vector<int32_t>& values) {
  return Tensor::Of(values, {static_cast<int64_t>(values.size())});
}

/// Random graph: each key with probability 1/2; queries divisible by 3 have
/// none.
Neighbourhood RandomGraph(int64_t queries, int64_t keys, Rng& rng) {
  std::vector<int32_t> offsets{0};
  std::vector<int32_t> list;
  for (int64_t t = 0; t < queries; ++t) {
    for (int64_t s = 0; t % 3 != 0 && s < keys; ++s) {
      if (rng.Uniform() < 0.5) list.push_back(static_cast<int32_t>(s));
    }
    offsets.push_back(static_cast<int32_t>(list.size()));
  }
  return MakeNeighbourhood(Ints(offsets), Ints(list), keys);
}

struct Sizes {
  int64_t queries, keys, features, cols, heads, key_heads;
};

/// Random arguments.
struct Case {
  Case(DType type, Score score, const Sizes& n)
      : dtype(type), graph(RandomGraph(n.queries, n.keys, rng)) {
    args.score = score;
    args.value = 0.3;
    args.heads = n.heads;
    args.key_heads = n.key_heads;
    args.q = Random(n.queries, n.heads * n.features);
    args.k = Random(n.keys, n.key_heads * n.features);
    args.v = Random(n.keys, n.key_heads * n.cols);
    if (score != Score::kDot) {
      args.w = Random(n.heads, n.features)
                   .Contiguous()
                   .Reshape({n.heads, n.features});
    }
    dcontext = Random(n.queries, n.heads * n.cols);
  }

  Tensor Random(int64_t rows, int64_t cols) {
    return RandomSlice({1, rows, cols}, dtype, rng);
  }
  int64_t Edges() const { return graph.keys.numel(); }
  int64_t Begin(int64_t t) const { return graph.offsets.data<int32_t>()[t]; }
  int64_t Key(int64_t edge) const { return graph.keys.data<int32_t>()[edge]; }
  int64_t KeyHead(int64_t h) const { return h / (args.heads / args.key_heads); }

  double ScoreOf(int64_t h, int64_t t, int64_t s) const {
    double sum = 0;
    for (int64_t a = 0; a < args.features(); ++a) {
      const double q = At(args.q, t, h * args.features() + a);
      const double k = At(args.k, s, KeyHead(h) * args.features() + a);
      const double w = args.w.defined() ? At(args.w, h, a) : 1;
      if (args.score == Score::kDot) sum += args.value * q * k;
      if (args.score == Score::kTanh) sum += w * std::tanh(q + k);
      if (args.score == Score::kLeaky) {
        sum += w * (q + k) * (q + k < 0 ? args.value : 1);
      }
    }
    return sum;
  }
  /// Weights [H, E] before dropout.
  Tensor Weights() const {
    Tensor a({args.heads, Edges()}, DType::kF64);
    for (int64_t h = 0; h < args.heads; ++h) {
      for (int64_t t = 0; t < graph.queries; ++t) {
        double sum = 0;
        for (int64_t i = Begin(t); i < Begin(t + 1); ++i) {
          sum += std::exp(ScoreOf(h, t, Key(i)));
        }
        for (int64_t i = Begin(t); i < Begin(t + 1); ++i) {
          SetAt(a, h, i, std::exp(ScoreOf(h, t, Key(i))) / sum);
        }
      }
    }
    return a;
  }
  double Context(const Tensor& dropped, int64_t t, int64_t c) const {
    const int64_t h = c / args.value_features();
    const int64_t d = c % args.value_features();
    double sum = 0;
    for (int64_t i = Begin(t); i < Begin(t + 1); ++i) {
      sum += At(dropped, h, i) *
             At(args.v, Key(i), KeyHead(h) * args.value_features() + d);
    }
    return sum;
  }
  AttentionGrads Grads(double value) const {
    AttentionGrads grads;
    grads.dq = Tensor::Full(args.q.shape(), value, dtype);
    grads.dk = Tensor::Full(args.k.shape(), value, dtype);
    grads.dv = Tensor::Full(args.v.shape(), value, dtype);
    if (args.w.defined()) {
      grads.dw = Tensor::Full(args.w.shape(), value, dtype);
    }
    return grads;
  }
  /// sum of dcontext * context.
  double Loss() const {
    Tensor weights;
    return Dot(SparseAttention(args, graph, weights), dcontext);
  }

  Rng rng{5};
  DType dtype;
  Neighbourhood graph;
  AttentionArgs args;
  Tensor dcontext;
};

constexpr std::array kScores{Score::kDot, Score::kTanh, Score::kLeaky};

template <typename Body>
void ForCases(const Body& body) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const Score score : kScores) {
      int row = 0;
      for (const Sizes& n : std::vector<Sizes>{{0, 3, 2, 2, 1, 1},
                                               {3, 0, 2, 2, 1, 1},
                                               {2, 1, 1, 1, 1, 1},
                                               {17, 17, 1, 8, 8, 8},
                                               {9, 7, 3, 15, 4, 2},
                                               {5, 40, 17, 1, 3, 1},
                                               {5, 6, 63, 65, 2, 2},
                                               {4, 5, 129, 127, 2, 1},
                                               {5, 180, 1, 3, 16, 16},
                                               {70, 90, 8, 8, 8, 4}}) {
        SCOPED_TRACE(std::string(Name(dtype)) + " score " +
                     std::to_string(static_cast<int>(score)) + " row " +
                     std::to_string(row++));
        body(Case(dtype, score, n));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

class SparseAttentionKernels : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(SparseAttentionKernels);

TEST_P(SparseAttentionKernels, WeightsAndContextAreTheFormula) {
  ForCases([](const Case& n) {
    Tensor weights;
    const Tensor context = SparseAttention(n.args, n.graph, weights);
    const Tensor expected = n.Weights();
    ASSERT_EQ(weights.shape(), expected.shape());
    ExpectEach(weights, 1e-5,
               [&](int64_t h, int64_t edge) { return At(expected, h, edge); });
    ASSERT_EQ(context.shape(), n.dcontext.shape());
    ExpectEach(context, 1e-5,
               [&](int64_t t, int64_t c) { return n.Context(expected, t, c); });
  });
}

TEST_P(SparseAttentionKernels, DropoutIsThatOfTheWeights) {
  ForCases([](const Case& plain) {
    Case n = plain;
    n.args.dropout = 0.4;
    n.args.dropout_key = 9;
    Tensor weights;
    const Tensor context = SparseAttention(n.args, n.graph, weights);
    const Tensor dropped = Dropout(weights, 0.4, 9);
    ExpectEach(context, 1e-5,
               [&](int64_t t, int64_t c) { return n.Context(dropped, t, c); });
    const Tensor expected = n.Weights();
    ExpectEach(weights, 1e-5,
               [&](int64_t h, int64_t edge) { return At(expected, h, edge); });
  });
}

// Gradients accumulate: they start from ones.

TEST_P(SparseAttentionKernels, GradientsAreTheDifferences) {
  for (const Score score : kScores) {
    for (const double dropout : {0.0, 0.4}) {
      for (const Sizes& n :
           {Sizes{7, 5, 3, 4, 4, 2}, Sizes{6, 9, 1, 17, 2, 2}}) {
        Case c(DType::kF64, score, n);
        c.args.dropout = dropout;
        c.args.dropout_key = 3;
        Tensor weights;
        SparseAttention(c.args, c.graph, weights);
        AttentionGrads grads = c.Grads(1);
        SparseAttentionGrad(c.args, c.graph, weights, c.dcontext, grads);
        const auto loss = [&](const Tensor& x) {
          return [&] {
            return c.Loss() + Dot(x, Tensor::Full(x.shape(), 1, DType::kF64));
          };
        };
        ExpectGradient(grads.dq, c.args.q, loss(c.args.q));
        ExpectGradient(grads.dk, c.args.k, loss(c.args.k));
        ExpectGradient(grads.dv, c.args.v, loss(c.args.v));
        if (c.args.w.defined()) {
          ExpectGradient(grads.dw, c.args.w, loss(c.args.w));
        }
      }
    }
  }
}

TEST_P(SparseAttentionKernels, GradientsInF32AreThoseInF64) {
  ForCases([](const Case& n) {
    if (n.dtype == DType::kF64) return;
    Case wide = n;
    wide.dtype = DType::kF64;
    for (Tensor* x : {&wide.args.q, &wide.args.k, &wide.args.v, &wide.args.w,
                      &wide.dcontext}) {
      if (x->defined()) *x = x->To(DType::kF64);
    }
    const auto gradients = [](const Case& c) {
      Tensor weights;
      SparseAttention(c.args, c.graph, weights);
      AttentionGrads grads = c.Grads(1);
      SparseAttentionGrad(c.args, c.graph, weights, c.dcontext, grads);
      return grads;
    };
    const AttentionGrads f32 = gradients(n);
    const AttentionGrads f64 = gradients(wide);
    for (Tensor AttentionGrads::*x :
         {&AttentionGrads::dq, &AttentionGrads::dk, &AttentionGrads::dv,
          &AttentionGrads::dw}) {
      if (!(f32.*x).defined()) continue;
      ExpectEach(f32.*x, 1e-4,
                 [&](int64_t r, int64_t c) { return At(f64.*x, r, c); });
    }
  });
}

TEST_P(SparseAttentionKernels, GradientsThatAreNotWantedChangeNoOthers) {
  for (const Score score : kScores) {
    const Case n(DType::kF32, score, {17, 11, 5, 9, 4, 2});
    Tensor weights;
    SparseAttention(n.args, n.graph, weights);
    AttentionGrads all = n.Grads(0);
    SparseAttentionGrad(n.args, n.graph, weights, n.dcontext, all);
    for (Tensor AttentionGrads::*x :
         {&AttentionGrads::dq, &AttentionGrads::dk, &AttentionGrads::dv,
          &AttentionGrads::dw}) {
      if (!(all.*x).defined()) continue;
      AttentionGrads one;
      one.*x = Tensor::Zeros((all.*x).shape());
      SparseAttentionGrad(n.args, n.graph, weights, n.dcontext, one);
      EXPECT_EQ((one.*x).ToVector<float>(), (all.*x).ToVector<float>());
    }
  }
}

TEST_P(SparseAttentionKernels, WithoutFactorsTheyAreOne) {
  Case n(DType::kF32, Score::kLeaky, {9, 9, 1, 8, 4, 4});
  n.args.w = Tensor::Full({4, 1}, 1);
  Tensor weights;
  const Tensor context = SparseAttention(n.args, n.graph, weights);
  n.args.w = Tensor();
  EXPECT_EQ(SparseAttention(n.args, n.graph, weights).ToVector<float>(),
            context.ToVector<float>());
}

TEST_P(SparseAttentionKernels, GreatScoresAreFinite) {
  Case n(DType::kF32, Score::kLeaky, {9, 9, 1, 8, 4, 4});
  for (int64_t r = 0; r < 9; ++r) {
    for (int64_t c = 0; c < 4; ++c) {
      SetAt(n.args.q, r, c, r % 2 == 0 ? 1e37 : -1e37);
    }
  }
  Tensor weights;
  const Tensor context = SparseAttention(n.args, n.graph, weights);
  for (const float x : context.ToVector<float>()) EXPECT_TRUE(std::isfinite(x));
}

TEST(SparseAttention, NeighbourhoodListsTheEdgesOfEachKey) {
  // Query 0 looks at keys 1 and 3, query 1 at none, query 2 at 0, 1 and 3.
  const Neighbourhood graph =
      MakeNeighbourhood(Ints({0, 2, 2, 5}), Ints({1, 3, 0, 1, 3}), 5);
  using List = std::vector<int32_t>;
  EXPECT_EQ(graph.queries, 3);
  EXPECT_EQ(graph.key_count, 5);
  EXPECT_EQ(graph.queries_of_edges.ToVector<int32_t>(), (List{0, 0, 2, 2, 2}));
  EXPECT_EQ(graph.transposed_offsets.ToVector<int32_t>(),
            (List{0, 1, 3, 3, 5, 5}));
  EXPECT_EQ(graph.transposed_edges.ToVector<int32_t>(), (List{2, 0, 3, 1, 4}));
}

TEST(SparseAttention, NeighbourhoodMayBeEmpty) {
  const Neighbourhood graph = MakeNeighbourhood(Ints({0}), Ints({}), 0);
  EXPECT_EQ(graph.queries, 0);
  EXPECT_EQ(graph.transposed_offsets.ToVector<int32_t>(),
            std::vector<int32_t>{0});
}

}  // namespace
}  // namespace heed::kernels::sparse_attention_test
