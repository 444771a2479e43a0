// Products of small matrices that are not worth packing: tiles with sums in
// registers.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_SMALL_PRODUCTS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_SMALL_PRODUCTS_INL_H_
#undef HEED_KERNELS_CPU_SMALL_PRODUCTS_INL_H_
#else
#define HEED_KERNELS_CPU_SMALL_PRODUCTS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "heed/kernels/cpu/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

/// View of a matrix in a tensor, plain or transposed.
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

/// e[t, s] = scale sum_a q[t, a] k[s, a] for T = kT, S = kS.
template <int64_t kT, int64_t kS, typename T, typename K>
HWY_INLINE void DotTile(int64_t cols, T scale, Matrix<const T> q,
                        Matrix<const K> k, Matrix<T> e) {
  using V = hn::Vec<hn::ScalableTag<T>>;
  WideVector<T> sums[kT][kS];
  ForParts<T>(cols, [&](auto lanes, int64_t a) HEED_LANES {
    V keys[kS];
    for (int64_t s = 0; s < kS; ++s) keys[s] = lanes.Load(k[s] + a);
    for (int64_t t = 0; t < kT; ++t) {
      const V query = lanes.Load(q[t] + a);
      for (int64_t s = 0; s < kS; ++s) {
        V& sum = sums[t][s][lanes.kPart];
        sum = hn::MulAdd(query, keys[s], sum);
      }
    }
  });
  for (int64_t t = 0; t < kT; ++t) {
    for (int64_t s = 0; s < kS; ++s) {
      e(t, s) = scale * sums[t][s].Sum();
    }
  }
}

/// e = scale q k^T. Shapes: q [rows, inner], k [cols, inner], e [rows, cols].
/// Where T is float, k may be of bf16.
template <typename T, typename K>
void DotProducts(int64_t rows, int64_t cols, int64_t inner, T scale,
                 Matrix<const T> q, Matrix<const K> k, Matrix<T> e) {
  // Sums of a tile are in registers; targets with narrower vectors have fewer.
  constexpr int64_t kSide = kParts<T> == 1 ? 4 : 2;
  ForTiles<kSide, kSide>(
      rows, cols,
      [&](auto height, auto width, int64_t t, int64_t s) HEED_LANES {
        DotTile<height(), width()>(inner, scale, q.From(t), k.From(s),
                                   e.From(t, s));
      });
}

/// y[r] += scale sum_i w[r, i] x[i] for r < kRows, i < kInner.
template <int64_t kRows, int64_t kInner, typename T, typename X>
HWY_INLINE void ProductTile(int64_t cols, T scale, Matrix<const T> w,
                            Matrix<const X> x, Matrix<T> y) {
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
/// Where T is float, x may be of bf16.
template <typename T, typename X>
void AddProduct(int64_t rows, int64_t inner, int64_t cols, T scale,
                Matrix<const T> w, Matrix<const X> x, Matrix<T> y) {
  ForTiles<4, 4>(rows, inner,
                 [&](auto height, auto width, int64_t r, int64_t i) HEED_LANES {
                   ProductTile<height(), width()>(cols, scale, w.From(r, i),
                                                  x.From(i), y.From(r));
                 });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_SMALL_PRODUCTS_INL_H_
