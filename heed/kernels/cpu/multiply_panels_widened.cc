// Products of f32 rows and panels of bf16 pairs, which are widened in
// registers: a shift gives the first number of a pair, a mask the second.
#include <algorithm>
#include <cassert>
#include <type_traits>

#include "heed/kernels/cpu/pairs.h"
#include "heed/kernels/cpu/panels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cpu/multiply_panels_widened.cc"
#include <hwy/foreach_target.h>
// Must follow foreach_target.h.
#include <hwy/highway.h>

#include "heed/kernels/cpu/attention_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using WordD = hn::RebindToUnsigned<FloatD>;

/// Bytes between a word of a panel and the one that is prefetched with it. On a
/// Zen 5, one row is multiplied at 0.64 of the rate of reading without
/// prefetching, at 0.85 with 1 or 2 KB and at 0.79 with 4 KB.
constexpr int64_t kAheadBytes = 2048;
constexpr int64_t kLineBytes = 64;

/// Rows of a tile: all sums and one row of a panel are in registers.
constexpr int kTileRows = 6;

/// sums += w x for a column w of `a` and a row x of a panel.
template <int kRows, int kVectors>
HWY_INLINE void AddOuter(const float* a, int64_t a_row, const FloatV* x,
                         FloatV (&sums)[kRows][kVectors]) {
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    const FloatV w = hn::Set(FloatD(), a[r * a_row]);
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = hn::MulAdd(w, x[v], sums[r][v]);
    }
  }
}

/// c[kRows, kTileVectors vectors] (+)= a b for `inner` elements of a's rows.
template <int kRows>
HWY_NOINLINE void WidenedTile(int64_t inner, const LeftWords& a,
                              const float* panel, bool add, const Floats2D& c) {
  const FloatD d;
  const WordD dw;
  FloatV sums[kRows][kTileVectors];
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    HEED_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      sums[r][v] =
          add ? hn::LoadU(d, c.first + r * c.row + v * kLanes) : hn::Zero(d);
    }
  }
  const auto* words = reinterpret_cast<const uint32_t*>(panel);
  const float* x = a.first;
  FloatV wide[kTileVectors];
  for (int64_t i = 0; i < inner; i += 2) {
    hn::Vec<WordD> pairs[kTileVectors];
    HEED_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      pairs[v] = hn::LoadU(dw, words + v * kLanes);
      wide[v] = hn::BitCast(d, hn::ShiftLeft<16>(pairs[v]));
    }
    AddOuter<kRows>(x, a.row, wide, sums);
    if (i + 1 == inner) break;
    HEED_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      wide[v] =
          hn::BitCast(d, hn::And(pairs[v], hn::Set(dw, uint32_t{0xffff0000})));
    }
    AddOuter<kRows>(x + 1, a.row, wide, sums);
    for (int64_t line = 0; line < kTileCols * 4; line += kLineBytes) {
      __builtin_prefetch(reinterpret_cast<const char*>(words) + kAheadBytes +
                         line);
    }
    x += 2;
    words += cpu::kPanel;
  }
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    HEED_UNROLL for (int v = 0; v < kTileVectors; ++v) {
      hn::StoreU(sums[r][v], d, c.first + r * c.row + v * kLanes);
    }
  }
}

/// c [rows, kPanel] (+)= a b for a part of a panel.
void MultiplyPanel(int64_t rows, int64_t inner, const LeftWords& a,
                   const float* panel, bool add, const Floats2D& c) {
  for (int64_t column = 0; column < cpu::kPanel; column += kTileCols) {
    int64_t r = 0;
    const auto band = [&](auto height) {
      for (; r + height() <= rows; r += height()) {
        WidenedTile<height()>(inner, a.Rows(r), panel + column, add,
                              {c.first + r * c.row + column, c.row});
      }
    };
    band(std::integral_constant<int, kTileRows>());
    band(std::integral_constant<int, 4>());
    band(std::integral_constant<int, 2>());
    band(std::integral_constant<int, 1>());
  }
}

void MultiplyWidenedImpl(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                         const float* b, bool accumulate, const Floats2D& c) {
  const int64_t panel_words = cpu::PaddedRows(k, true) / 2 * cpu::kPanel;
  // Parts of a panel that several tiles read stay in the cache.
  const int64_t step =
      m <= kTileRows ? std::max<int64_t>(k, 1) : 2 * cpu::kSumWords;
  // At least one pass: an empty sum is 0.
  for (int64_t i = 0; i == 0 || i < k; i += step) {
    const int64_t inner = std::min(step, k - i);
    const bool add = accumulate || i > 0;
    const LeftWords left{a.first + i, a.row, 1};
    for (int64_t p = 0; p * cpu::kPanel < n; ++p) {
      const float* panel = b + p * panel_words + i / 2 * cpu::kPanel;
      const Floats2D to{c.first + p * cpu::kPanel, c.row};
      const int64_t columns = std::min(cpu::kPanel, n - p * cpu::kPanel);
      if (columns == cpu::kPanel) {
        MultiplyPanel(m, inner, left, panel, add, to);
        continue;
      }
      cpu::MultiplyLastPanel(
          m, columns, add, to,
          [&](int64_t r, int64_t rows, bool add_part, const Floats2D& part) {
            MultiplyPanel(rows, inner, left.Rows(r), panel, add_part, part);
          });
    }
  }
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(MultiplyWidenedImpl);

}  // namespace
namespace cpu {

void MultiplyPanelsWidened(int64_t m, int64_t n, int64_t k, const LeftWords& a,
                           const float* b, bool accumulate, const Floats2D& c) {
  assert(a.col == 1);
  HWY_DYNAMIC_DISPATCH(MultiplyWidenedImpl)(m, n, k, a, b, accumulate, c);
}

}  // namespace cpu
}  // namespace heed::kernels
#endif  // HWY_ONCE
