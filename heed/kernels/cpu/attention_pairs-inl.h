// Scores of pairs of rows that are not dot products, sum_a w_a phi(q_a + k_a),
// and their gradients, in tiles that stay in the cache.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_ATTENTION_PAIRS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_ATTENTION_PAIRS_INL_H_
#undef HEED_KERNELS_CPU_ATTENTION_PAIRS_INL_H_
#else
#define HEED_KERNELS_CPU_ATTENTION_PAIRS_INL_H_
#endif

#include <hwy/highway.h>

#include <cassert>
#include <cstdint>

#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/fused_attention.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// Rows that may be apart.
template <typename T>
struct Rows {
  T* first;
  int64_t stride;

  T* operator[](int64_t r) const { return first + r * stride; }
  Rows From(int64_t r) const { return {(*this)[r], stride}; }
};

struct TanhPhi {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return Tanh(d, x);
  }
  /// Returns de phi'(x) and adds de phi(x) to dw.
  template <class D, class V>
  HWY_INLINE V Grad(D d, V x, V de, V& dw) const {
    const V y = Tanh(d, x);
    const V de_y = hn::Mul(de, y);
    dw = hn::Add(dw, de_y);
    return hn::NegMulAdd(de_y, y, de);
  }
};

template <typename T>
struct LeakyPhi {
  T slope;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, slope)),
                          x);
  }
  template <class D, class V>
  HWY_INLINE V Grad(D d, V x, V de, V& dw) const {
    const V g = hn::IfThenElse(hn::Lt(x, hn::Zero(d)),
                               hn::Mul(de, hn::Set(d, slope)), de);
    dw = hn::MulAdd(g, x, dw);  // de phi(x) = de phi'(x) x
    return g;
  }
};

/// Calls f with the phi of a kind of scores.
template <typename T, class F>
HWY_INLINE void WithPhi(AttentionArgs::Score kind, T value, const F& f) {
  assert(kind != AttentionArgs::Score::kDot);
  if (kind == AttentionArgs::Score::kTanh) {
    f(TanhPhi());
  } else {
    f(LeakyPhi<T>{value});
  }
}

/// e[c] = sum_a w_a phi(q_a + k[c]_a) for c < kCols.
template <int64_t kCols, typename T, class Phi>
HWY_INLINE void PairScoresStrip(const Phi& phi, const T* q, Rows<const T> k,
                                const T* w, int64_t features, T* e) {
  using V = hn::Vec<hn::ScalableTag<T>>;
  WideVector<T> sums[kCols];
  ForParts<T>(features, [&](auto lanes, int64_t a) HEED_LANES {
    const V q_a = lanes.Load(q + a);
    const V w_a = lanes.Load(w + a);
    HWY_UNROLL(2)  // otherwise sums are kept in memory
    for (int64_t c = 0; c < kCols; ++c) {
      const V y = phi(lanes.d, hn::Add(q_a, lanes.Load(k[c] + a)));
      V& sum = sums[c][lanes.kPart];
      sum = hn::MulAdd(w_a, y, sum);
    }
  });
  for (int64_t c = 0; c < kCols; ++c) e[c] = sums[c].Sum();
}

/// e[r * e_stride + c] = sum_a w_a phi(q[r]_a + k[c]_a), with phi = tanh or
/// LeakyReLU of slope `value` below 0.
template <typename T>
void PairScoresTile(AttentionArgs::Score kind, T value, Rows<const T> q,
                    Rows<const T> k, const T* w, int64_t rows, int64_t cols,
                    int64_t features, T* e, int64_t e_stride) {
  WithPhi(kind, value, [&](const auto& phi) HWY_ATTR {
    constexpr int64_t kCols = 2;
    for (int64_t r = 0; r < rows; ++r, e += e_stride) {
      int64_t c = 0;
      for (; c + kCols <= cols; c += kCols) {
        PairScoresStrip<kCols>(phi, q[r], k.From(c), w, features, e + c);
      }
      for (; c < cols; ++c) {
        PairScoresStrip<1>(phi, q[r], k.From(c), w, features, e + c);
      }
    }
  });
}

/// Gradients of kRows rows in the columns of `lanes` from a on.
template <int64_t kRows, typename T, class Phi, class Lanes, class V>
HWY_INLINE void PairScoresGradStrip(const Phi& phi, const Lanes& lanes,
                                    int64_t a, Rows<const T> q, Rows<const T> k,
                                    V w_a, int64_t cols, const T* de,
                                    int64_t de_stride, Rows<T> dq, Rows<T> dk,
                                    V& dw_a) {
  V q_a[kRows];
  V dq_a[kRows];              // without the factor w, as dk_a
  V sum = hn::Zero(lanes.d);  // over few terms, to keep rounding errors small
  for (int64_t r = 0; r < kRows; ++r) {
    q_a[r] = lanes.Load(q[r] + a);
    dq_a[r] = hn::Zero(lanes.d);
  }
  for (int64_t c = 0; c < cols; ++c) {
    const V k_a = lanes.Load(k[c] + a);
    V dk_a = hn::Zero(lanes.d);
    HWY_UNROLL(8)  // otherwise dq_a is kept in memory
    for (int64_t r = 0; r < kRows; ++r) {
      const V de_rc = hn::Set(lanes.d, de[r * de_stride + c]);
      const V dx = phi.Grad(lanes.d, hn::Add(q_a[r], k_a), de_rc, sum);
      dq_a[r] = hn::Add(dq_a[r], dx);
      dk_a = hn::Add(dk_a, dx);
    }
    lanes.Store(hn::MulAdd(w_a, dk_a, lanes.Load(dk[c] + a)), dk[c] + a);
  }
  dw_a = hn::Add(dw_a, sum);
  for (int64_t r = 0; r < kRows; ++r) {
    lanes.Store(hn::MulAdd(w_a, dq_a[r], lanes.Load(dq[r] + a)), dq[r] + a);
  }
}

/// Adds to dq[r], dk[c] and dw for the gradient de of PairScoresTile.
/// Recomputes phi. Processes one vector of columns for all pairs at a time, so
/// that its dq and dw stay in registers.
template <typename T>
void PairScoresTileGrad(AttentionArgs::Score kind, T value, Rows<const T> q,
                        Rows<const T> k, const T* w, int64_t rows, int64_t cols,
                        int64_t features, const T* de, int64_t de_stride,
                        Rows<T> dq, Rows<T> dk, T* dw) {
  WithPhi(kind, value, [&](const auto& phi) HWY_ATTR {
    ForLanes<T>(features, [&](auto lanes, int64_t a) HEED_LANES {
      constexpr int64_t kRows = 8;
      const auto w_a = lanes.Load(w + a);
      auto dw_a = lanes.Load(dw + a);
      int64_t r = 0;
      for (; r + kRows <= rows; r += kRows) {
        PairScoresGradStrip<kRows>(phi, lanes, a, q.From(r), k, w_a, cols,
                                   de + r * de_stride, de_stride, dq.From(r),
                                   dk, dw_a);
      }
      for (; r < rows; ++r) {
        PairScoresGradStrip<1>(phi, lanes, a, q.From(r), k, w_a, cols,
                               de + r * de_stride, de_stride, dq.From(r), dk,
                               dw_a);
      }
      lanes.Store(dw_a, dw + a);
    });
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_ATTENTION_PAIRS_INL_H_
