#include "heed/kernels/attention.h"

#include <algorithm>
#include <type_traits>

#include "heed/base/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/attention.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_pairs-inl.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/cpu/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

int64_t Length(const Tensor& lengths, int64_t b, int64_t all) {
  return lengths.defined() ? lengths.data<int32_t>()[b] : all;
}

/// A matrix inside a tensor, seen as it is or transposed.
template <typename T>
struct Matrix {
  T* first;
  int64_t row_stride;
  int64_t col_stride = 1;

  T* operator[](int64_t row) const { return first + row * row_stride; }
  T& operator()(int64_t row, int64_t col) const {
    return first[row * row_stride + col * col_stride];
  }
  Matrix From(int64_t row, int64_t col = 0) const {
    return {&(*this)(row, col), row_stride, col_stride};
  }
  Matrix Transposed() const { return {first, col_stride, row_stride}; }
};

/// x[b] of x [B, .., ..].
template <typename T>
Matrix<const T> At(const Tensor& x, int64_t b) {
  return {x.row<T>(b * x.dim(1)), x.row_stride()};
}
template <typename T>
Matrix<T> At(Tensor& x, int64_t b) {
  return {x.row<T>(b * x.dim(1)), x.row_stride()};
}

template <int64_t kN>
using Size = std::integral_constant<int64_t, kN>;

/// Covers a matrix with tiles: calls tile(Size<height>, Size<width>, r, c).
template <int64_t kHeight, int64_t kWidth, class Tile>
HWY_INLINE void ForTiles(int64_t rows, int64_t cols, const Tile& tile) {
  const auto band = [&](auto height, int64_t r) HEED_LANES {
    int64_t c = 0;
    for (; c + kWidth <= cols; c += kWidth) tile(height, Size<kWidth>(), r, c);
    for (; c < cols; ++c) tile(height, Size<1>(), r, c);
  };
  int64_t r = 0;
  for (; r + kHeight <= rows; r += kHeight) band(Size<kHeight>(), r);
  for (; r < rows; ++r) band(Size<1>(), r);
}

/// Sizes of one batch row: only the first `length` of S keys are valid.
struct RowSizes {
  int64_t queries;
  int64_t keys;
  int64_t length;
  int64_t cols;
};

/// e[t, s] = scale sum_a q[t, a] k[s, a] for T = kT, S = kS, with the terms as
/// add(lanes, a, q, k, sum) adds them.
template <int64_t kT, int64_t kS, typename T, class Add>
HWY_INLINE void ScoreTile(int64_t cols, const Add& add, T scale,
                          Matrix<const T> q, Matrix<const T> k, Matrix<T> e) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<hn::ScalableTag<T>>;
  V sums[kT][kS];
  for (auto& row : sums) {
    for (V& sum : row) sum = hn::Zero(d);
  }
  ForLanes<T>(cols, [&](auto lanes, int64_t a) HEED_LANES {
    V keys[kS];
    for (int64_t s = 0; s < kS; ++s) keys[s] = lanes.Load(k[s] + a);
    for (int64_t t = 0; t < kT; ++t) {
      const V query = lanes.Load(q[t] + a);
      for (int64_t s = 0; s < kS; ++s) {
        sums[t][s] = add(lanes, a, query, keys[s], sums[t][s]);
      }
    }
  });
  for (int64_t t = 0; t < kT; ++t) {
    for (int64_t s = 0; s < kS; ++s) {
      e(t, s) = scale * hn::GetLane(hn::SumOfLanes(d, sums[t][s]));
    }
  }
}

/// The scores of a batch row, 0 for keys that are not valid.
template <int64_t kT, int64_t kS, typename T, class Add>
void ScoreRow(const RowSizes& n, const Add& add, T scale, Matrix<const T> q,
              Matrix<const T> k, Matrix<T> e) {
  ForTiles<kT, kS>(
      n.queries, n.length,
      [&](auto height, auto width, int64_t t, int64_t s) HEED_LANES {
        ScoreTile<height(), width()>(n.cols, add, scale, q.From(t), k.From(s),
                                     e.From(t, s));
      });
  for (int64_t t = 0; t < n.queries; ++t) {
    std::fill(e[t] + n.length, e[t] + n.keys, T(0));
  }
}

/// e = scale q k^T of a batch row.
template <typename T>
void DotRow(const RowSizes& n, T scale, Matrix<const T> q, Matrix<const T> k,
            Matrix<T> e) {
  const auto add = [](auto, int64_t, auto q_a, auto k_a, auto sum)
                       HEED_LANES { return hn::MulAdd(q_a, k_a, sum); };
  ScoreRow<4, 4>(n, add, scale, q, k, e);
}

/// y[r] += scale sum_i w[r, i] x[i] for r < kRows, i < kInner.
template <int64_t kRows, int64_t kInner, typename T>
HWY_INLINE void ProductTile(int64_t cols, T scale, Matrix<const T> w,
                            Matrix<const T> x, Matrix<T> y) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<hn::ScalableTag<T>>;
  V weights[kRows][kInner];
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t i = 0; i < kInner; ++i) {
      weights[r][i] = hn::Set(d, scale * w(r, i));
    }
  }
  ForLanes<T>(cols, [&](auto lanes, int64_t c) HEED_LANES {
    V x_c[kInner];
    for (int64_t i = 0; i < kInner; ++i) x_c[i] = lanes.Load(x[i] + c);
    for (int64_t r = 0; r < kRows; ++r) {
      V sum = lanes.Load(y[r] + c);
      for (int64_t i = 0; i < kInner; ++i) {
        sum = hn::MulAdd(weights[r][i], x_c[i], sum);
      }
      lanes.Store(sum, y[r] + c);
    }
  });
}

/// y += scale w x. Shapes: w [rows, inner], x [inner, cols], y [rows, cols].
template <typename T>
void AddProduct(int64_t rows, int64_t inner, int64_t cols, T scale,
                Matrix<const T> w, Matrix<const T> x, Matrix<T> y) {
  ForTiles<4, 4>(rows, inner,
                 [&](auto height, auto width, int64_t r, int64_t i) HEED_LANES {
                   ProductTile<height(), width()>(cols, scale, w.From(r, i),
                                                  x.From(i), y.From(r));
                 });
}

/// Calls row(b, n) for each batch row of memories k [B, S, A] and T queries.
template <class Row>
void ForBatch(const Tensor& k, int64_t queries, const Tensor& lengths,
              const Row& row) {
  const int64_t keys = k.dim(1);
  const int64_t cols = k.dim(2);
  ParallelFor(
      k.dim(0), RowGrain(queries * keys * cols),
      [&](int64_t begin, int64_t end) HWY_ATTR {
        for (int64_t b = begin; b < end; ++b) {
          row(b, RowSizes{queries, keys, Length(lengths, b, keys), cols});
        }
      });
}

/// The part of AdditiveScoresGrad of one batch row.
template <typename T>
void AdditiveGradRow(const RowSizes& n, Matrix<const T> de, Matrix<const T> q,
                     Matrix<const T> k, const T* w, Matrix<T> dq, Matrix<T> dk,
                     T* dw) {
  for (int64_t s = 0; s < n.length; ++s) {
    for (int64_t t = 0; t < n.queries; ++t) {
      const T* q_t = q[t];
      const T* k_s = k[s];
      T* dq_t = dq[t];
      T* dk_s = dk[s];
      const auto de_ts = hn::Set(hn::ScalableTag<T>(), de(t, s));
      ForLanes<T>(n.cols, [=](auto lanes, int64_t a) HEED_LANES {
        const auto y =
            Tanh(lanes.d, hn::Add(lanes.Load(q_t + a), lanes.Load(k_s + a)));
        const auto dy = hn::Mul(de_ts, lanes.Load(w + a));
        const auto dx = hn::NegMulAdd(hn::Mul(dy, y), y, dy);
        lanes.Store(hn::Add(lanes.Load(dq_t + a), dx), dq_t + a);
        lanes.Store(hn::Add(lanes.Load(dk_s + a), dx), dk_s + a);
        lanes.Store(hn::MulAdd(de_ts, y, lanes.Load(dw + a)), dw + a);
      });
    }
  }
}

}  // namespace

Tensor AdditiveScores(const Tensor& q, const Tensor& k, const Tensor& w,
                      const Tensor& lengths) {
  Tensor e({q.dim(0), q.dim(1), k.dim(1)}, q.dtype());
  WithFloat(q, [&]<typename T>(T) HWY_ATTR {
    const T* w_0 = w.data<T>();
    const auto add = [=](auto lanes, int64_t a, auto q_a, auto k_a,
                         auto sum) HEED_LANES {
      return hn::MulAdd(lanes.Load(w_0 + a), Tanh(lanes.d, hn::Add(q_a, k_a)),
                        sum);
    };
    ForBatch(k, q.dim(1), lengths, [&](int64_t b, const RowSizes& n) HWY_ATTR {
      ScoreRow<1, 1>(n, add, T(1), At<T>(q, b), At<T>(k, b), At<T>(e, b));
    });
  });
  return e;
}

void AdditiveScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                        const Tensor& w, const Tensor& lengths, Tensor& dq,
                        Tensor& dk, Tensor& dw) {
  const int64_t batch = q.dim(0);
  const int64_t queries = q.dim(1);
  const int64_t keys = k.dim(1);
  const int64_t cols = w.numel();
  const int64_t grain = RowGrain(queries * keys * cols);
  // One sum over each chunk, for a result that no schedule can change.
  Tensor sums = Tensor::Zeros({(batch + grain - 1) / grain, cols}, w.dtype());
  WithFloat(q, [&]<typename T>(T) HWY_ATTR {
    ParallelFor(batch, grain, [&](int64_t begin, int64_t end) HWY_ATTR {
      for (int64_t b = begin; b < end; ++b) {
        AdditiveGradRow<T>({queries, keys, Length(lengths, b, keys), cols},
                           At<T>(de, b), At<T>(q, b), At<T>(k, b), w.data<T>(),
                           At<T>(dq, b), At<T>(dk, b),
                           sums.row<T>(begin / grain));
      }
    });
    T* dw_0 = dw.data<T>();
    for (int64_t r = 0; r < sums.dim(0); ++r) {
      MapSpan(
          cols, [](auto, auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
          dw_0, dw_0, sums.row<T>(r));
    }
  });
}

/// The rows of x[n] from row r and column c on.
template <typename T>
Rows<const T> RowsOf(const Tensor& x, int64_t n, int64_t r, int64_t c = 0) {
  return {x.row<T>(n * x.dim(1) + r) + c, x.row_stride()};
}
template <typename T>
Rows<T> RowsOf(Tensor& x, int64_t n, int64_t r, int64_t c = 0) {
  return {x.row<T>(n * x.dim(1) + r) + c, x.row_stride()};
}

/// Keys of a tile: few enough to stay in the cache while queries pass.
constexpr int64_t kTileKeys = 64;

Tensor PairScores(AttentionArgs::Score kind, double value, const Tensor& q,
                  const Tensor& k, const Tensor& w) {
  const int64_t queries = q.dim(1);
  const int64_t keys = k.dim(1);
  const int64_t cols = q.dim(2);
  Tensor e({q.dim(0), queries, keys}, q.dtype());
  constexpr int64_t kStripQueries = 16;
  const int64_t strips = (queries + kStripQueries - 1) / kStripQueries;
  WithFloat(q, [&]<typename T>(T) HWY_ATTR {
    const auto strip = [&](int64_t n, int64_t t) HWY_ATTR {
      for (int64_t s = 0; s < keys; s += kTileKeys) {
        PairScoresTile<T>(kind, static_cast<T>(value), RowsOf<T>(q, n, t),
                          RowsOf<T>(k, n, s), w.row<T>(n % w.dim(0)),
                          std::min(kStripQueries, queries - t),
                          std::min(kTileKeys, keys - s), cols,
                          RowsOf<T>(e, n, t, s).first, keys);
      }
    };
    ParallelFor(q.dim(0) * strips, RowGrain(kStripQueries * keys * cols),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t i = begin; i < end; ++i) {
                    strip(i / strips, i % strips * kStripQueries);
                  }
                });
  });
  return e;
}

void PairScoresGrad(AttentionArgs::Score kind, double value, const Tensor& de,
                    const Tensor& q, const Tensor& k, const Tensor& w,
                    Tensor& dq, Tensor& dk, Tensor& dw) {
  const int64_t batch = q.dim(0);
  const int64_t queries = q.dim(1);
  const int64_t keys = k.dim(1);
  const int64_t cols = q.dim(2);
  // Columns do not meet in any gradient: strips of them can go in parallel.
  constexpr int64_t kStripCols = 64;
  const int64_t strips = (cols + kStripCols - 1) / kStripCols;
  Tensor sums = Tensor::Zeros({batch, cols}, w.dtype());
  WithFloat(q, [&]<typename T>(T) HWY_ATTR {
    const auto strip = [&](int64_t n, int64_t a) HWY_ATTR {
      for (int64_t s = 0; s < keys; s += kTileKeys) {
        PairScoresTileGrad<T>(
            kind, static_cast<T>(value), RowsOf<T>(q, n, 0, a),
            RowsOf<T>(k, n, s, a), w.row<T>(n % w.dim(0)) + a, queries,
            std::min(kTileKeys, keys - s), std::min(kStripCols, cols - a),
            RowsOf<T>(de, n, 0, s).first, de.row_stride(),
            RowsOf<T>(dq, n, 0, a), RowsOf<T>(dk, n, s, a), sums.row<T>(n) + a);
      }
    };
    ParallelFor(batch * strips, RowGrain(queries * keys * kStripCols),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t i = begin; i < end; ++i) {
                    strip(i / strips, i % strips * kStripCols);
                  }
                });
    for (int64_t n = 0; n < batch; ++n) {
      T* dw_n = dw.row<T>(n % w.dim(0));
      MapSpan(
          cols, [](auto, auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
          dw_n, dw_n, sums.row<T>(n));
    }
  });
}

Tensor DotScores(const Tensor& q, const Tensor& k, double scale,
                 const Tensor& lengths) {
  Tensor e({q.dim(0), q.dim(1), k.dim(1)}, q.dtype());
  WithFloat(q, [&]<typename T>(T) HWY_ATTR {
    ForBatch(k, q.dim(1), lengths, [&](int64_t b, const RowSizes& n) HWY_ATTR {
      DotRow(n, static_cast<T>(scale), At<T>(q, b), At<T>(k, b), At<T>(e, b));
    });
  });
  return e;
}

void DotScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                   double scale, const Tensor& lengths, Tensor& dq,
                   Tensor& dk) {
  WithFloat(q, [&]<typename T>(T) HWY_ATTR {
    ForBatch(k, q.dim(1), lengths, [&](int64_t b, const RowSizes& n) HWY_ATTR {
      const auto de_b = At<T>(de, b);
      const T s = static_cast<T>(scale);
      AddProduct(n.queries, n.length, n.cols, s, de_b, At<T>(k, b),
                 At<T>(dq, b));
      AddProduct(n.length, n.queries, n.cols, s, de_b.Transposed(), At<T>(q, b),
                 At<T>(dk, b));
    });
  });
}

Tensor MaskedSoftmax(const Tensor& e, const Tensor& lengths) {
  Tensor a(e.shape(), e.dtype());
  const int64_t queries = e.dim(1);
  const int64_t keys = e.dim(2);
  WithFloat(e, [&]<typename T>(T) HWY_ATTR {
    ParallelFor(e.rows(), RowGrain(4 * keys),
                [&](int64_t begin, int64_t end) HWY_ATTR {
                  for (int64_t r = begin; r < end; ++r) {
                    const int64_t n = Length(lengths, r / queries, keys);
                    SoftmaxSpan(n, e.row<T>(r), a.row<T>(r));
                    std::fill(a.row<T>(r) + n, a.row<T>(r) + keys, T(0));
                  }
                });
  });
  return a;
}

Tensor MaskedSoftmaxGrad(const Tensor& da, const Tensor& a) {
  Tensor de(a.shape(), a.dtype());
  const int64_t keys = a.cols();
  WithFloat(a, [&]<typename T>(T) HWY_ATTR {
    ParallelFor(
        a.rows(), RowGrain(2 * keys), [&](int64_t begin, int64_t end) HWY_ATTR {
          for (int64_t r = begin; r < end; ++r) {
            const T* a_r = a.row<T>(r);
            const T* da_r = da.row<T>(r);
            const T mean = SumSpan<T>(
                keys,
                [](auto, auto x, auto y) HWY_ATTR { return hn::Mul(x, y); },
                a_r, da_r);
            MapSpan(
                keys,
                [=](auto d, auto x, auto y) HWY_ATTR {
                  return hn::Mul(x, hn::Sub(y, hn::Set(d, mean)));
                },
                de.row<T>(r), a_r, da_r);
          }
        });
  });
  return de;
}

Tensor WeightedSum(const Tensor& a, const Tensor& values,
                   const Tensor& lengths) {
  const Shape shape{a.dim(0), a.dim(1), values.dim(2)};
  Tensor c = Tensor::Zeros(shape, a.dtype());
  WithFloat(a, [&]<typename T>(T) HWY_ATTR {
    ForBatch(values, a.dim(1), lengths,
             [&](int64_t b, const RowSizes& n) HWY_ATTR {
               AddProduct(n.queries, n.length, n.cols, T(1), At<T>(a, b),
                          At<T>(values, b), At<T>(c, b));
             });
  });
  return c;
}

void WeightedSumGrad(const Tensor& dc, const Tensor& a, const Tensor& values,
                     const Tensor& lengths, Tensor& da, Tensor& dvalues) {
  WithFloat(a, [&]<typename T>(T) HWY_ATTR {
    ForBatch(
        values, a.dim(1), lengths, [&](int64_t b, const RowSizes& n) HWY_ATTR {
          DotRow(n, T(1), At<T>(dc, b), At<T>(values, b), At<T>(da, b));
          AddProduct(n.length, n.queries, n.cols, T(1),
                     At<T>(a, b).Transposed(), At<T>(dc, b), At<T>(dvalues, b));
        });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(AdditiveScores);
HWY_EXPORT(AdditiveScoresGrad);
HWY_EXPORT(PairScores);
HWY_EXPORT(PairScoresGrad);
HWY_EXPORT(DotScores);
HWY_EXPORT(DotScoresGrad);
HWY_EXPORT(MaskedSoftmax);
HWY_EXPORT(MaskedSoftmaxGrad);
HWY_EXPORT(WeightedSum);
HWY_EXPORT(WeightedSumGrad);

Tensor AdditiveScores(const Tensor& q, const Tensor& k, const Tensor& w,
                      const Tensor& lengths) {
  return HWY_DYNAMIC_DISPATCH(AdditiveScores)(q, k, w, lengths);
}

void AdditiveScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                        const Tensor& w, const Tensor& lengths, Tensor& dq,
                        Tensor& dk, Tensor& dw) {
  HWY_DYNAMIC_DISPATCH(AdditiveScoresGrad)(de, q, k, w, lengths, dq, dk, dw);
}

Tensor PairScores(AttentionArgs::Score kind, double value, const Tensor& q,
                  const Tensor& k, const Tensor& w) {
  return HWY_DYNAMIC_DISPATCH(PairScores)(kind, value, q, k, w);
}

void PairScoresGrad(AttentionArgs::Score kind, double value, const Tensor& de,
                    const Tensor& q, const Tensor& k, const Tensor& w,
                    Tensor& dq, Tensor& dk, Tensor& dw) {
  HWY_DYNAMIC_DISPATCH(PairScoresGrad)(kind, value, de, q, k, w, dq, dk, dw);
}

Tensor DotScores(const Tensor& q, const Tensor& k, double scale,
                 const Tensor& lengths) {
  return HWY_DYNAMIC_DISPATCH(DotScores)(q, k, scale, lengths);
}

void DotScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                   double scale, const Tensor& lengths, Tensor& dq,
                   Tensor& dk) {
  HWY_DYNAMIC_DISPATCH(DotScoresGrad)(de, q, k, scale, lengths, dq, dk);
}

Tensor MaskedSoftmax(const Tensor& e, const Tensor& lengths) {
  return HWY_DYNAMIC_DISPATCH(MaskedSoftmax)(e, lengths);
}

Tensor MaskedSoftmaxGrad(const Tensor& da, const Tensor& a) {
  return HWY_DYNAMIC_DISPATCH(MaskedSoftmaxGrad)(da, a);
}

Tensor WeightedSum(const Tensor& a, const Tensor& values,
                   const Tensor& lengths) {
  return HWY_DYNAMIC_DISPATCH(WeightedSum)(a, values, lengths);
}

void WeightedSumGrad(const Tensor& dc, const Tensor& a, const Tensor& values,
                     const Tensor& lengths, Tensor& da, Tensor& dvalues) {
  HWY_DYNAMIC_DISPATCH(WeightedSumGrad)(dc, a, values, lengths, da, dvalues);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
