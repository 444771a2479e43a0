#include "heed/kernels/attention.h"

#include <algorithm>

#include "heed/base/threads.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/attention.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_pairs-inl.h"
#include "heed/kernels/cpu/small_products-inl.h"
#include "heed/kernels/cpu/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

/// x[b] of x [B, .., ..].
template <typename T>
Matrix<const T> At(const Tensor& x, int64_t b) {
  return {x.row<T>(b * x.dim(1)), x.row_stride()};
}
template <typename T>
Matrix<T> At(Tensor& x, int64_t b) {
  return {x.row<T>(b * x.dim(1)), x.row_stride()};
}

/// Calls row(n) for each of N products of `work` multiplications.
template <class Row>
void ForProducts(int64_t products, int64_t work, const Row& row) {
  ParallelFor(products, RowGrain(work),
              [&](int64_t begin, int64_t end) HWY_ATTR {
                for (int64_t n = begin; n < end; ++n) row(n);
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

/// Number of keys of a tile, which stays in the cache while queries pass.
constexpr int64_t kTileKeys = 64;

}  // namespace

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
    ForProducts(q.dim(0) * strips, kStripQueries * keys * cols,
                [&](int64_t i) HWY_ATTR {
                  strip(i / strips, i % strips * kStripQueries);
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
  // Gradients of different columns are independent: strips run in parallel.
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
    ForProducts(batch * strips, queries * keys * kStripCols,
                [&](int64_t i)
                    HWY_ATTR { strip(i / strips, i % strips * kStripCols); });
    for (int64_t n = 0; n < batch; ++n) {
      T* dw_n = dw.row<T>(n % w.dim(0));
      MapSpan(
          cols, [](auto, auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
          dw_n, dw_n, sums.row<T>(n));
    }
  });
}

Tensor DotScores(const Tensor& q, const Tensor& k, double scale) {
  const int64_t queries = q.dim(1);
  const int64_t keys = k.dim(1);
  const int64_t cols = q.dim(2);
  Tensor e({q.dim(0), queries, keys}, q.dtype());
  WithFloat(q, [&]<typename T>(T) HWY_ATTR {
    ForProducts(q.dim(0), queries * keys * cols, [&](int64_t n) HWY_ATTR {
      DotProducts(queries, keys, cols, static_cast<T>(scale), At<T>(q, n),
                  At<T>(k, n), At<T>(e, n));
    });
  });
  return e;
}

void DotScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                   double scale, Tensor& dq, Tensor& dk) {
  const int64_t queries = q.dim(1);
  const int64_t keys = k.dim(1);
  const int64_t cols = q.dim(2);
  WithFloat(q, [&]<typename T>(T) HWY_ATTR {
    ForProducts(q.dim(0), 2 * queries * keys * cols, [&](int64_t n) HWY_ATTR {
      const auto de_n = At<T>(de, n);
      const T factor = static_cast<T>(scale);
      AddProduct(queries, keys, cols, factor, de_n, At<T>(k, n), At<T>(dq, n));
      AddProduct(keys, queries, cols, factor, de_n.Transposed(), At<T>(q, n),
                 At<T>(dk, n));
    });
  });
}

Tensor RowSoftmax(const Tensor& e) {
  Tensor a(e.shape(), e.dtype());
  const int64_t keys = e.cols();
  ForEachRow(e, e.rows(), 4 * keys, [&]<typename T>(T, int64_t r) HEED_LANES {
    SoftmaxSpan(keys, e.row<T>(r), a.row<T>(r));
  });
  return a;
}

Tensor RowSoftmaxGrad(const Tensor& da, const Tensor& a) {
  Tensor de(a.shape(), a.dtype());
  const int64_t keys = a.cols();
  ForEachRow(a, a.rows(), 2 * keys, [&]<typename T>(T, int64_t r) HEED_LANES {
    const T* a_r = a.row<T>(r);
    const T* da_r = da.row<T>(r);
    const T mean = SumSpan<T>(
        keys, [](auto, auto x, auto y) HWY_ATTR { return hn::Mul(x, y); }, a_r,
        da_r);
    MapSpan(
        keys,
        [=](auto d, auto x, auto y)
            HWY_ATTR { return hn::Mul(x, hn::Sub(y, hn::Set(d, mean))); },
        de.row<T>(r), a_r, da_r);
  });
  return de;
}

Tensor WeightedSum(const Tensor& a, const Tensor& values) {
  const int64_t queries = a.dim(1);
  const int64_t keys = a.dim(2);
  const int64_t cols = values.dim(2);
  Tensor c = Tensor::Zeros({a.dim(0), queries, cols}, a.dtype());
  WithFloat(a, [&]<typename T>(T) HWY_ATTR {
    ForProducts(a.dim(0), queries * keys * cols, [&](int64_t n) HWY_ATTR {
      AddProduct(queries, keys, cols, T(1), At<T>(a, n), At<T>(values, n),
                 At<T>(c, n));
    });
  });
  return c;
}

void WeightedSumGrad(const Tensor& dc, const Tensor& a, const Tensor& values,
                     Tensor& da, Tensor& dvalues) {
  const int64_t queries = a.dim(1);
  const int64_t keys = a.dim(2);
  const int64_t cols = values.dim(2);
  WithFloat(a, [&]<typename T>(T) HWY_ATTR {
    ForProducts(a.dim(0), 2 * queries * keys * cols, [&](int64_t n) HWY_ATTR {
      DotProducts(queries, keys, cols, T(1), At<T>(dc, n), At<T>(values, n),
                  At<T>(da, n));
      AddProduct(keys, queries, cols, T(1), At<T>(a, n).Transposed(),
                 At<T>(dc, n), At<T>(dvalues, n));
    });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(DotScores);
HWY_EXPORT(DotScoresGrad);
HWY_EXPORT(PairScores);
HWY_EXPORT(PairScoresGrad);
HWY_EXPORT(RowSoftmax);
HWY_EXPORT(RowSoftmaxGrad);
HWY_EXPORT(WeightedSum);
HWY_EXPORT(WeightedSumGrad);

Tensor DotScores(const Tensor& q, const Tensor& k, double scale) {
  return HWY_DYNAMIC_DISPATCH(DotScores)(q, k, scale);
}

void DotScoresGrad(const Tensor& de, const Tensor& q, const Tensor& k,
                   double scale, Tensor& dq, Tensor& dk) {
  HWY_DYNAMIC_DISPATCH(DotScoresGrad)(de, q, k, scale, dq, dk);
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

Tensor RowSoftmax(const Tensor& e) {
  return HWY_DYNAMIC_DISPATCH(RowSoftmax)(e);
}

Tensor RowSoftmaxGrad(const Tensor& da, const Tensor& a) {
  return HWY_DYNAMIC_DISPATCH(RowSoftmaxGrad)(da, a);
}

Tensor WeightedSum(const Tensor& a, const Tensor& values) {
  return HWY_DYNAMIC_DISPATCH(WeightedSum)(a, values);
}

void WeightedSumGrad(const Tensor& dc, const Tensor& a, const Tensor& values,
                     Tensor& da, Tensor& dvalues) {
  HWY_DYNAMIC_DISPATCH(WeightedSumGrad)(dc, a, values, da, dvalues);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
