#include "heed/kernels/cpu/pack.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/pack.cc"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DU = hn::RebindToUnsigned<DF>;
using DI = hn::RebindToSigned<DF>;
constexpr DF df;
constexpr DU du;
constexpr DI di;

/// The bits of v with the lower half rounded into the upper (ties to even).
template <class V>
HWY_INLINE hn::Vec<DU> Rounded(V v) {
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fff)));
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  const auto nan = hn::RebindMask(du, hn::IsNaN(v));
  return hn::IfThenElse(nan, quiet, rounded);
}

/// Two vectors as pairs (a0 b0 a1 b1 ...) of bf16.
template <class V>
HWY_INLINE hn::Vec<DU> Pairs(V a, V b) {
  return hn::OrAnd(hn::ShiftRight<16>(Rounded(a)), Rounded(b),
                   hn::Set(du, 0xffff0000U));
}

/// Reads vector j of row i of a panel, zero outside of the matrix.
class PanelReader {
 public:
  PanelReader(const MatrixView& b, int64_t panel)
      : b_(b),
        first_(panel * kPanel),
        columns_(std::min(kPanel, b.n - panel * kPanel)),
        steps_(hn::Mul(hn::Iota(di, 0),
                       hn::Set(di, static_cast<int32_t>(b.stride)))) {}

  HWY_INLINE hn::Vec<DF> Load(int64_t i, int64_t j) const {
    const int64_t count = columns_ - j;
    if (i >= b_.k || count <= 0) return hn::Zero(df);
    const auto lanes = static_cast<int64_t>(hn::Lanes(df));
    if (b_.transposed) {
      const float* from = b_.data + (first_ + j) * b_.stride + i;
      if (count >= lanes) return hn::GatherIndex(df, from, steps_);
      HWY_ALIGN float part[hn::MaxLanes(df)] = {};
      for (int64_t c = 0; c < count; ++c) part[c] = from[c * b_.stride];
      return hn::Load(df, part);
    }
    const float* from = b_.data + i * b_.stride + first_ + j;
    if (count >= lanes) return hn::LoadU(df, from);
    HWY_ALIGN float part[hn::MaxLanes(df)] = {};
    std::copy_n(from, count, part);
    return hn::Load(df, part);
  }

 private:
  MatrixView b_;
  int64_t first_;
  int64_t columns_;
  hn::Vec<DI> steps_;
};

void PackPanelImpl(const MatrixView& b, int64_t panel, int64_t rows,
                   float* HWY_RESTRICT out) {
  const PanelReader reader(b, panel);
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  const int64_t padded = PaddedRows(rows, false);
  if (b.transposed) {
    // Column group by column group: the few source rows stay in the cache.
    for (int64_t j = 0; j < kPanel; j += lanes) {
      for (int64_t i = 0; i < padded; ++i) {
        hn::StoreU(reader.Load(i, j), df, out + i * kPanel + j);
      }
    }
    return;
  }
  for (int64_t i = 0; i < padded; ++i) {
    for (int64_t j = 0; j < kPanel; j += lanes) {
      hn::StoreU(reader.Load(i, j), df, out + i * kPanel + j);
    }
  }
}

void PackPanelBF16Impl(const MatrixView& b, int64_t panel, int64_t rows,
                       uint16_t* HWY_RESTRICT out) {
  const PanelReader reader(b, panel);
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  const int64_t padded = PaddedRows(rows, true);
  auto* pairs = reinterpret_cast<uint32_t*>(out);
  const auto store = [&](int64_t i, int64_t j) HWY_ATTR {
    hn::StoreU(Pairs(reader.Load(i, j), reader.Load(i + 1, j)), du,
               pairs + i / 2 * kPanel + j);
  };
  if (b.transposed) {
    for (int64_t j = 0; j < kPanel; j += lanes) {
      for (int64_t i = 0; i < padded; i += 2) store(i, j);
    }
    return;
  }
  for (int64_t i = 0; i < padded; i += 2) {
    for (int64_t j = 0; j < kPanel; j += lanes) store(i, j);
  }
}

void RoundBF16Impl(const float* HWY_RESTRICT x, int64_t n,
                   uint16_t* HWY_RESTRICT out) {
  const hn::Rebind<uint16_t, DF> dh;
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto high = hn::ShiftRight<16>(Rounded(hn::LoadU(df, x + i)));
    hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, high)), dh, out + i);
  }
  if (i < n) {
    HWY_ALIGN float part[hn::MaxLanes(df)] = {};
    HWY_ALIGN uint16_t rounded[hn::MaxLanes(df)];
    std::copy(x + i, x + n, part);
    const auto high = hn::ShiftRight<16>(Rounded(hn::Load(df, part)));
    hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, high)), dh, rounded);
    std::copy_n(rounded, n - i, out + i);
  }
}

/// Calls store(i, j, vector of x[j..j+lanes, i]) over the whole range, tile by
/// tile, so that the source rows of a tile stay in the cache.
template <class Store>
HWY_INLINE void EachTransposed(const float* x, int64_t x_rows, int64_t stride,
                               int64_t begin, int64_t end, int64_t rows,
                               Store store) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(df));
  const auto steps =
      hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<int32_t>(stride)));
  for (int64_t j = 0; j < rows; j += lanes) {
    const int64_t count = std::min(lanes, x_rows - j);
    for (int64_t i = begin; i < end; ++i) {
      const float* from = x + j * stride + i;
      if (count == lanes) {
        store(i - begin, j, hn::GatherIndex(df, from, steps));
        continue;
      }
      HWY_ALIGN float part[hn::MaxLanes(df)] = {};
      for (int64_t c = 0; c < count; ++c) part[c] = from[c * stride];
      store(i - begin, j, hn::Load(df, part));
    }
  }
}

void TransposeRowsImpl(const float* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t end, int64_t rows, float* out) {
  EachTransposed(x, x_rows, stride, begin, end, rows,
                 [=](int64_t i, int64_t j, auto v)
                     HWY_ATTR { hn::StoreU(v, df, out + i * rows + j); });
}

void TransposeRowsBF16Impl(const float* x, int64_t x_rows, int64_t stride,
                           int64_t begin, int64_t end, int64_t rows,
                           uint16_t* out) {
  const hn::Rebind<uint16_t, DF> dh;
  EachTransposed(x, x_rows, stride, begin, end, rows,
                 [=](int64_t i, int64_t j, auto v) HWY_ATTR {
                   const auto high = hn::ShiftRight<16>(Rounded(v));
                   hn::StoreU(hn::DemoteTo(dh, hn::BitCast(di, high)), dh,
                              out + i * rows + j);
                 });
}

}  // namespace heed::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels::cpu {

HWY_EXPORT(PackPanelImpl);
HWY_EXPORT(PackPanelBF16Impl);
HWY_EXPORT(RoundBF16Impl);
HWY_EXPORT(TransposeRowsImpl);
HWY_EXPORT(TransposeRowsBF16Impl);

void PackPanel(const MatrixView& b, int64_t panel, int64_t rows, float* out) {
  HWY_DYNAMIC_DISPATCH(PackPanelImpl)(b, panel, rows, out);
}
void PackPanelBF16(const MatrixView& b, int64_t panel, int64_t rows,
                   uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(PackPanelBF16Impl)(b, panel, rows, out);
}
void RoundBF16(const float* x, int64_t n, uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(RoundBF16Impl)(x, n, out);
}
void TransposeRows(const float* x, int64_t x_rows, int64_t stride,
                   int64_t begin, int64_t end, int64_t rows, float* out) {
  HWY_DYNAMIC_DISPATCH(TransposeRowsImpl)
  (x, x_rows, stride, begin, end, rows, out);
}
void TransposeRowsBF16(const float* x, int64_t x_rows, int64_t stride,
                       int64_t begin, int64_t end, int64_t rows,
                       uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(TransposeRowsBF16Impl)
  (x, x_rows, stride, begin, end, rows, out);
}

}  // namespace heed::kernels::cpu
#endif  // HWY_ONCE
