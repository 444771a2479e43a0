#include "heed/kernels/cpu/pack.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/pack.cc"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
constexpr DF df;

constexpr int64_t kLanes = hn::MaxLanes(df);
/// Number of columns of a tile: even, for pairs.
constexpr int64_t kTile = std::max<int64_t>(2, kLanes);

/// Loads the first min(n, lanes) elements from p; the others are 0.
HWY_INLINE hn::Vec<DF> LoadUpTo(const float* p, int64_t n) {
  if (n >= kLanes) return hn::LoadU(df, p);
  HWY_ALIGN float part[kLanes] = {};
  if (n > 0) std::copy_n(p, n, part);
  return hn::Load(df, part);
}

#if HWY_TARGET != HWY_SCALAR
/// Transposes each 4 x 4 block of four rows: element i of block b of rows[c]
/// becomes element c of block b of rows[i].
HWY_INLINE void TransposeBlocks(hn::Vec<DF>* rows) {
  const hn::Repartition<uint64_t, DF> dw;
  const auto wide = [&](auto v) HWY_ATTR { return hn::BitCast(dw, v); };
  const auto low01 = wide(hn::InterleaveLower(df, rows[0], rows[1]));
  const auto high01 = wide(hn::InterleaveUpper(df, rows[0], rows[1]));
  const auto low23 = wide(hn::InterleaveLower(df, rows[2], rows[3]));
  const auto high23 = wide(hn::InterleaveUpper(df, rows[2], rows[3]));
  rows[0] = hn::BitCast(df, hn::InterleaveLower(dw, low01, low23));
  rows[1] = hn::BitCast(df, hn::InterleaveUpper(dw, low01, low23));
  rows[2] = hn::BitCast(df, hn::InterleaveLower(dw, high01, high23));
  rows[3] = hn::BitCast(df, hn::InterleaveUpper(dw, high01, high23));
}
#endif

/// Transposes a square of kLanes rows.
HWY_INLINE void TransposeSquare(hn::Vec<DF>* t) {
#if HWY_TARGET == HWY_SCALAR
  (void)t;
#else
  for (int64_t r = 0; r < kLanes; r += 4) TransposeBlocks(t + r);
  // Now block b of t[4 r + c] holds column 4 b + c of rows 4 r .. 4 r + 3.
  if constexpr (kLanes == 8) {
    for (int64_t c = 0; c < 4; ++c) {
      const auto lower = hn::ConcatLowerLower(df, t[4 + c], t[c]);
      t[4 + c] = hn::ConcatUpperUpper(df, t[4 + c], t[c]);
      t[c] = lower;
    }
  }
  if constexpr (kLanes == 16) {
    for (int64_t c = 0; c < 4; ++c) {
      const auto even01 = hn::ConcatLowerLower(df, t[8 + c], t[c]);
      const auto odd01 = hn::ConcatLowerLower(df, t[12 + c], t[4 + c]);
      const auto even23 = hn::ConcatUpperUpper(df, t[8 + c], t[c]);
      const auto odd23 = hn::ConcatUpperUpper(df, t[12 + c], t[4 + c]);
      t[c] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd01), even01);
      t[4 + c] = hn::OddEvenBlocks(odd01, hn::SwapAdjacentBlocks(even01));
      t[8 + c] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd23), even23);
      t[12 + c] = hn::OddEvenBlocks(odd23, hn::SwapAdjacentBlocks(even23));
    }
  }
#endif
}

/// Loads t[c] = x[0 .. lanes, c] for c < kTile; elements outside the `rows` x
/// `columns` matrix are 0.
HWY_INLINE void LoadTransposed(const float* x, int64_t stride, int64_t rows,
                               int64_t columns, hn::Vec<DF>* t) {
  if constexpr (kLanes == 1) {
    for (int64_t c = 0; c < kTile; ++c) {
      t[c] = rows > 0 ? LoadUpTo(x + c, columns - c) : hn::Zero(df);
    }
    return;
  }
  if (rows >= kLanes && columns >= kLanes) {
    for (int64_t r = 0; r < kLanes; ++r) t[r] = hn::LoadU(df, x + r * stride);
  } else {
    for (int64_t r = 0; r < kLanes; ++r) {
      t[r] = r < rows ? LoadUpTo(x + r * stride, columns) : hn::Zero(df);
    }
  }
  TransposeSquare(t);
}

/// Columns [begin, end) of a matrix of `rows` rows; elements beyond x_rows and
/// x_columns are 0.
struct TransposedView {
  const float* x;
  int64_t x_rows;
  int64_t x_columns;
  int64_t stride;
  int64_t begin;
  int64_t end;
  int64_t rows;
};

/// Calls store(count, i, j, t) with t[c] = x[j .. j + lanes, begin + i + c] for
/// c < count. Whole cache lines of a row are read together, because rows whose
/// stride is a power of two evict each other. Prefetches the next rows.
template <class Store>
HWY_INLINE void EachTransposed(const TransposedView& v, Store store) {
  for (int64_t j = 0; j < v.rows; j += kLanes) {
    for (int64_t i = v.begin; i < v.end; i += kTile) {
      const float* x = v.x + j * v.stride + i;
      for (int64_t r = 2 * kLanes; r < 3 * kLanes; ++r) {
        __builtin_prefetch(x + r * v.stride);
      }
      hn::Vec<DF> t[kTile];
      LoadTransposed(x, v.stride, v.x_rows - j, v.x_columns - i, t);
      store(std::min(kTile, v.end - i), i - v.begin, j, t);
    }
  }
}

/// View of the columns of a panel as rows.
TransposedView RowsOfPanel(const MatrixView& b, int64_t panel, int64_t padded) {
  const int64_t first = panel * kPanel;
  return {
      b.data + first * b.stride, b.n - first, b.k, b.stride, 0, padded, kPanel};
}

void TransposeRowsImpl(const float* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t end, int64_t rows, float* out,
                       int64_t out_stride) {
  EachTransposed({x, x_rows, end, stride, begin, end, rows},
                 [=](int64_t count, int64_t i, int64_t j, const hn::Vec<DF>* t)
                     HWY_ATTR {
                       for (int64_t c = 0; c < count; ++c) {
                         hn::StoreU(t[c], df, out + (i + c) * out_stride + j);
                       }
                     });
}

/// Calls store(i, j, vector j of row i) over a panel of `padded` rows; elements
/// outside the matrix are zero.
template <class Store>
HWY_INLINE void EachOfPanel(const MatrixView& b, int64_t panel, int64_t padded,
                            Store store) {
  const int64_t first = panel * kPanel;
  const int64_t columns = b.n - first;
  const auto load = [&](int64_t i, int64_t j) HWY_ATTR {
    if (i >= b.k) return hn::Zero(df);
    __builtin_prefetch(b.data + (i + kRowsAhead) * b.stride + first + j);
    return LoadUpTo(b.data + i * b.stride + first + j, columns - j);
  };
  for (int64_t i = 0; i < padded; i += 2) {
    for (int64_t j = 0; j < kPanel; j += kLanes) {
      store(i, j, load(i, j), load(i + 1, j));
    }
  }
}

/// Streaming stores pay only if whole cache lines are written at once.
constexpr size_t kLineBytes = 64;
constexpr bool kWholeLines = kLanes * sizeof(float) == kLineBytes;

void PackPanelImpl(const MatrixView& b, int64_t panel, int64_t rows,
                   Writing writing, float* HWY_RESTRICT out) {
  const bool streams = kWholeLines && writing == Writing::kStream;
  const auto store = [&](hn::Vec<DF> v, float* to) HWY_ATTR {
    if (streams) {
      hn::Stream(v, df, to);
    } else {
      hn::StoreU(v, df, to);
    }
  };
  const int64_t padded = PaddedRows(rows, false);
  if (b.transposed) {
    EachTransposed(RowsOfPanel(b, panel, padded),
                   [=](int64_t count, int64_t i, int64_t j,
                       const hn::Vec<DF>* t) HWY_ATTR {
                     for (int64_t c = 0; c < count; ++c) {
                       store(t[c], out + (i + c) * kPanel + j);
                     }
                   });
  } else {
    EachOfPanel(b, panel, padded,
                [=](int64_t i, int64_t j, auto v, auto w) HWY_ATTR {
                  store(v, out + i * kPanel + j);
                  store(w, out + (i + 1) * kPanel + j);
                });
  }
  if (streams) hwy::FlushStream();
}

}  // namespace heed::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::cpu {

HWY_EXPORT(PackPanelImpl);
HWY_EXPORT(TransposeRowsImpl);

void PackPanel(const MatrixView& b, int64_t panel, int64_t rows, float* out,
               Writing writing) {
  HWY_DYNAMIC_DISPATCH(PackPanelImpl)(b, panel, rows, writing, out);
}
void TransposeRows(const float* x, int64_t x_rows, int64_t stride,
                   int64_t begin, int64_t end, int64_t rows, float* out,
                   int64_t out_stride) {
  HWY_DYNAMIC_DISPATCH(TransposeRowsImpl)
  (x, x_rows, stride, begin, end, rows, out, out_stride);
}

}  // namespace heed::kernels::cpu
#endif  // HWY_ONCE
