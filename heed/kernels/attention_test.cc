#include "heed/kernels/attention.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/tests/hwy_gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "heed/kernels/testing.h"

namespace heed::kernels::attention_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Random arguments.
struct Case {
  Case(DType type, int64_t batch, int64_t queries, int64_t keys, int64_t cols)
      : dtype(type), B(batch), T(queries), S(keys), A(cols) {
    q = RandomSlice({B, T, A}, dtype, rng);
    k = RandomSlice({B, S, A}, dtype, rng);
    e = RandomSlice({B, T, S}, dtype, rng);
  }

  /// Row of k that holds key s for a row of queries.
  int64_t KeyRow(int64_t query_row, int64_t s) const {
    return query_row / T * S + s;
  }
  Tensor Random(int64_t rows, int64_t cols) {
    return RandomSlice({B, rows, cols}, dtype, rng);
  }
  Tensor Zeros(int64_t rows, int64_t cols) const {
    return Tensor::Zeros({B, rows, cols}, dtype);
  }

  DType dtype;
  int64_t B, T, S, A;
  Tensor q, k, e;
  Rng rng{5};
};

/// Sizes around the boundaries of vectors and tiles, and some with several
/// chunks.
template <typename Body>
void ForCases(const Body& body) {
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const auto& [B, T, S, A] :
         std::vector<std::array<int64_t, 4>>{{0, 1, 3, 5},
                                             {2, 0, 3, 5},
                                             {2, 1, 0, 5},
                                             {1, 1, 1, 1},
                                             {4, 1, 3, 3},
                                             {5, 4, 4, 15},
                                             {3, 5, 9, 17},
                                             {3, 3, 17, 63},
                                             {3, 8, 8, 65},
                                             {2, 1, 65, 127},
                                             {2, 6, 15, 129},
                                             {70, 1, 16, 130}}) {
      SCOPED_TRACE(std::string(Name(dtype)) + " " +
                   Shape({B, T, S, A}).ToString());
      Case n(dtype, B, T, S, A);
      body(n);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class AttentionKernels : public hwy::TestWithParamTarget {};
HWY_TARGET_INSTANTIATE_TEST_SUITE_P(AttentionKernels);

TEST_P(AttentionKernels, DotScoresAreTheFormula) {
  ForCases([](const Case& n) {
    const Tensor e = DotScores(n.q, n.k, 0.3);
    ExpectEach(e, 1e-5, [&](int64_t r, int64_t s) {
      double sum = 0;
      for (int64_t a = 0; a < n.A; ++a) {
        sum += 0.3 * At(n.q, r, a) * At(n.k, n.KeyRow(r, s), a);
      }
      return sum;
    });
  });
}

TEST_P(AttentionKernels, RowSoftmaxIsTheFormula) {
  ForCases([](const Case& n) {
    const Tensor a = RowSoftmax(n.e);
    ExpectEach(a, 1e-6, [&](int64_t r, int64_t s) {
      double sum = 0;
      for (int64_t j = 0; j < n.S; ++j) {
        sum += std::exp(At(n.e, r, j));
      }
      return std::exp(At(n.e, r, s)) / sum;
    });
  });
}

TEST_P(AttentionKernels, WeightedSumIsTheFormula) {
  ForCases([](const Case& n) {
    const Tensor c = WeightedSum(n.e, n.k);
    ExpectEach(c, 1e-5, [&](int64_t r, int64_t d) {
      double sum = 0;
      for (int64_t s = 0; s < n.S; ++s) {
        sum += At(n.e, r, s) * At(n.k, n.KeyRow(r, s), d);
      }
      return sum;
    });
  });
}

TEST_P(AttentionKernels, RowSoftmaxOfGreatScoresIsFinite) {
  const std::vector<float> scores{3e38F, -3e38F, 3e38F};
  const Tensor a = RowSoftmax(Tensor::Of(scores, {1, 1, 3}));
  EXPECT_EQ(a.ToVector<float>(), (std::vector<float>{0.5F, 0, 0.5F}));
}

TEST_P(AttentionKernels, RowSoftmaxOfMinusInfinityIsZero) {
  const Tensor e = Tensor::Full({1, 2, 5}, -HUGE_VAL);
  EXPECT_EQ(RowSoftmax(e).ToVector<float>(), std::vector<float>(10, 0.0F));
}

TEST_P(AttentionKernels, ANanScoreMakesItsWeightsNan) {
  for (int64_t at = 0; at < 19; ++at) {
    Tensor e = Tensor::Zeros({1, 1, 19});
    SetAt(e, 0, at, kNan);
    const Tensor a = RowSoftmax(e);
    for (int64_t s = 0; s < 19; ++s) EXPECT_TRUE(std::isnan(At(a, 0, s)));
  }
}

/// Sum of term(s) over the keys of a row of queries.
template <typename Term>
double SumOverKeys(const Case& n, const Term& term) {
  double sum = 0;
  for (int64_t s = 0; s < n.S; ++s) sum += term(s);
  return sum;
}

/// Sum of term(query row, s) over the queries that see a row of keys.
template <typename Term>
double SumOverQueries(const Case& n, int64_t key_row, const Term& term) {
  const int64_t b = key_row / n.S;
  const int64_t s = key_row % n.S;
  double sum = 0;
  for (int64_t t = 0; t < n.T; ++t) sum += term(b * n.T + t, s);
  return sum;
}

// Accumulated gradients start from ones.

TEST_P(AttentionKernels, DotScoresGradIsTheFormula) {
  ForCases([](const Case& n) {
    Tensor dq = Tensor::Full(n.q.shape(), 1, n.dtype);
    Tensor dk = Tensor::Full(n.k.shape(), 1, n.dtype);
    DotScoresGrad(n.e, n.q, n.k, 0.3, dq, dk);
    ExpectEach(dq, 1e-5, [&](int64_t r, int64_t a) {
      return 1 + SumOverKeys(n, [&](int64_t s) {
               return 0.3 * At(n.e, r, s) * At(n.k, n.KeyRow(r, s), a);
             });
    });
    ExpectEach(dk, 1e-5, [&](int64_t key_row, int64_t a) {
      return 1 + SumOverQueries(n, key_row, [&](int64_t r, int64_t s) {
               return 0.3 * At(n.e, r, s) * At(n.q, r, a);
             });
    });
  });
}

TEST_P(AttentionKernels, WeightedSumGradIsTheFormula) {
  ForCases([](const Case& n) {
    const Tensor& dc = n.q;
    Tensor da = Tensor::Full(n.e.shape(), 1, n.dtype);
    Tensor dvalues = Tensor::Full(n.k.shape(), 1, n.dtype);
    WeightedSumGrad(dc, n.e, n.k, da, dvalues);
    ExpectEach(da, 1e-5, [&](int64_t r, int64_t s) {
      double sum = 0;
      for (int64_t a = 0; a < n.A; ++a) {
        sum += At(dc, r, a) * At(n.k, n.KeyRow(r, s), a);
      }
      return sum;
    });
    ExpectEach(dvalues, 1e-5, [&](int64_t key_row, int64_t a) {
      return 1 + SumOverQueries(n, key_row, [&](int64_t r, int64_t s) {
               return At(n.e, r, s) * At(dc, r, a);
             });
    });
  });
}

TEST_P(AttentionKernels, RowSoftmaxGradIsTheFormula) {
  ForCases([](Case& n) {
    const Tensor a = RowSoftmax(n.e);
    const Tensor da = n.Random(n.T, n.S);
    ExpectEach(RowSoftmaxGrad(da, a), 1e-6, [&](int64_t r, int64_t s) {
      const double mean =
          SumOverKeys(n, [&](int64_t j) { return At(a, r, j) * At(da, r, j); });
      return At(a, r, s) * (At(da, r, s) - mean);
    });
  });
}

/// Random arguments in f64, for finite differences.
Case SmallCase() { return Case(DType::kF64, 4, 5, 6, 9); }

TEST_P(AttentionKernels, DotScoresGradIsTheDifference) {
  Case n = SmallCase();
  Tensor dq = n.Zeros(n.T, n.A);
  Tensor dk = n.Zeros(n.S, n.A);
  DotScoresGrad(n.e, n.q, n.k, 0.3, dq, dk);
  const auto loss = [&] { return Dot(DotScores(n.q, n.k, 0.3), n.e); };
  ExpectGradient(dq, n.q, loss);
  ExpectGradient(dk, n.k, loss);
}

TEST_P(AttentionKernels, RowSoftmaxGradIsTheDifference) {
  Case n = SmallCase();
  const Tensor da = n.Random(n.T, n.S);
  const Tensor de = RowSoftmaxGrad(da, RowSoftmax(n.e));
  ExpectGradient(de, n.e, [&] { return Dot(RowSoftmax(n.e), da); });
}

TEST_P(AttentionKernels, WeightedSumGradIsTheDifference) {
  Case n = SmallCase();
  const Tensor dc = n.Random(n.T, n.A);
  Tensor da = n.Random(n.T, n.S);
  Tensor dvalues = n.Zeros(n.S, n.A);
  WeightedSumGrad(dc, n.e, n.k, da, dvalues);
  const auto loss = [&] { return Dot(WeightedSum(n.e, n.k), dc); };
  ExpectGradient(da, n.e, loss);
  ExpectGradient(dvalues, n.k, loss);
}

/// Random arguments of PairScores.
struct Pairs {
  Pairs(DType type, AttentionArgs::Score score_kind, int64_t queries,
        int64_t keys, int64_t cols)
      : kind(score_kind), T(queries), S(keys), A(cols), dtype(type) {
    q = RandomSlice({kBatch * kHeads, T, A}, dtype, rng);
    k = RandomSlice({kBatch * kHeads, S, A}, dtype, rng);
    w = RandomSlice({kHeads, A}, dtype, rng).Contiguous();
    de = RandomSlice({kBatch * kHeads, T, S}, dtype, rng);
  }

  Tensor Scores() const { return PairScores(kind, kSlope, q, k, w); }
  bool Tanh() const { return kind == AttentionArgs::Score::kTanh; }
  double Sum(int64_t query_row, int64_t s, int64_t a) const {
    return At(q, query_row, a) + At(k, query_row / T * S + s, a);
  }
  double Phi(double x) const {
    return Tanh() ? std::tanh(x) : x * (x < 0 ? kSlope : 1);
  }
  double DPhi(double x) const {
    return Tanh() ? 1 - std::tanh(x) * std::tanh(x) : (x < 0 ? kSlope : 1);
  }
  double W(int64_t query_row, int64_t a) const {
    return At(w, query_row / T % kHeads, a);
  }
  /// d loss / d(q_ta + k_sa).
  double DSum(int64_t query_row, int64_t s, int64_t a) const {
    return At(de, query_row, s) * W(query_row, a) * DPhi(Sum(query_row, s, a));
  }

  static constexpr int64_t kBatch = 2;
  static constexpr int64_t kHeads = 3;
  static constexpr double kSlope = 0.2;
  AttentionArgs::Score kind;
  int64_t T, S, A;
  DType dtype;
  Tensor q, k, w, de;
  Rng rng{7};
};

template <typename Body>
void ForPairs(const Body& body) {
  using Score = AttentionArgs::Score;
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    for (const Score kind : {Score::kTanh, Score::kLeaky}) {
      for (const auto& [T, S, A] :
           std::vector<std::array<int64_t, 3>>{{0, 3, 5},
                                               {3, 0, 5},
                                               {3, 2, 0},
                                               {1, 1, 1},
                                               {2, 17, 3},
                                               {3, 5, 15},
                                               {7, 4, 17},
                                               {17, 3, 63},
                                               {4, 65, 65},
                                               {19, 15, 127},
                                               {5, 129, 129}}) {
        SCOPED_TRACE(std::string(Name(dtype)) + " " +
                     Shape({T, S, A}).ToString());
        body(Pairs(dtype, kind, T, S, A));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(AttentionKernels, PairScoresAreTheFormula) {
  ForPairs([](const Pairs& n) {
    const Tensor e = n.Scores();
    ASSERT_EQ(e.shape(), n.de.shape());
    ExpectEach(e, 1e-5, [&](int64_t r, int64_t s) {
      double sum = 0;
      for (int64_t a = 0; a < n.A; ++a)
        sum += n.W(r, a) * n.Phi(n.Sum(r, s, a));
      return sum;
    });
  });
}

TEST_P(AttentionKernels, PairScoresGradIsTheFormula) {
  ForPairs([](const Pairs& n) {
    Tensor dq = Tensor::Full(n.q.shape(), 1, n.dtype);
    Tensor dk = Tensor::Full(n.k.shape(), 1, n.dtype);
    Tensor dw = Tensor::Full(n.w.shape(), 1, n.dtype);
    PairScoresGrad(n.kind, n.kSlope, n.de, n.q, n.k, n.w, dq, dk, dw);
    ExpectEach(dq, 1e-5, [&](int64_t r, int64_t a) {
      double sum = 1;
      for (int64_t s = 0; s < n.S; ++s) sum += n.DSum(r, s, a);
      return sum;
    });
    ExpectEach(dk, 1e-5, [&](int64_t r, int64_t a) {
      double sum = 1;
      for (int64_t t = 0; t < n.T; ++t) {
        sum += n.DSum(r / n.S * n.T + t, r % n.S, a);
      }
      return sum;
    });
    ExpectEach(dw, 1e-4, [&](int64_t h, int64_t a) {
      double sum = 1;
      for (int64_t r = 0; r < n.de.rows(); ++r) {
        for (int64_t s = 0; r / n.T % n.kHeads == h && s < n.S; ++s) {
          sum += At(n.de, r, s) * n.Phi(n.Sum(r, s, a));
        }
      }
      return sum;
    });
  });
}

TEST_P(AttentionKernels, PairScoresGradIsTheDifference) {
  using Score = AttentionArgs::Score;
  for (const Score kind : {Score::kTanh, Score::kLeaky}) {
    Pairs n(DType::kF64, kind, 5, 6, 9);
    Tensor dq = Tensor::Zeros(n.q.shape(), n.dtype);
    Tensor dk = Tensor::Zeros(n.k.shape(), n.dtype);
    Tensor dw = Tensor::Zeros(n.w.shape(), n.dtype);
    PairScoresGrad(n.kind, n.kSlope, n.de, n.q, n.k, n.w, dq, dk, dw);
    const auto loss = [&] { return Dot(n.Scores(), n.de); };
    ExpectGradient(dq, n.q, loss);
    ExpectGradient(dk, n.k, loss);
    ExpectGradient(dw, n.w, loss);
  }
}

}  // namespace
}  // namespace heed::kernels::attention_test
