#include "heed/kernels/cpu/attention_bf16.h"

#include <cassert>
#include <oneapi/dnnl/dnnl.hpp>
#include <type_traits>

#include "heed/kernels/cpu/unroll.h"

#if defined(__x86_64__)
#include "heed/kernels/cpu/bf16-inl.h"

namespace heed::kernels::cpu {
namespace {

constexpr int64_t kTileVectors = 4;

template <int kN>
using Size = std::integral_constant<int, kN>;

/// c[kRows, kVectors vectors] (+)= a b.
template <int kRows, int kVectors>
HEED_BF16 void Tile(int64_t inner, const LeftWords& a, const float* b,
                    int64_t b_row, bool add, float* c, int64_t c_row) {
  __m512 sums[kRows][kVectors];
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = add ? _mm512_loadu_ps(c + r * c_row + v * kBF16Lanes)
                       : _mm512_setzero_ps();
    }
  }
  const float* a_i = a.first;
  for (int64_t i = 0; i < inner; ++i) {
    __m512bh x[kVectors];
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
      x[v] = (__m512bh)_mm512_loadu_ps(b + v * kBF16Lanes);
    }
    HEED_UNROLL for (int r = 0; r < kRows; ++r) {
      const auto w = (__m512bh)_mm512_set1_ps(a_i[r * a.row]);
      HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = _mm512_dpbf16_ps(sums[r][v], w, x[v]);
      }
    }
    a_i += a.col;
    b += b_row;
  }
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
      _mm512_storeu_ps(c + r * c_row + v * kBF16Lanes, sums[r][v]);
    }
  }
}

template <int kVectors>
void Panel(int64_t rows, int64_t inner, LeftWords a, const float* b,
           int64_t b_row, bool add, Floats2D c) {
  constexpr int kTall = kVectors <= 2 ? 12 : 6;
  int64_t left = rows;
  const auto band = [&]<int kRows>(Size<kRows>) {
    for (; left >= kRows; left -= kRows) {
      Tile<kRows, kVectors>(inner, a, b, b_row, add, c.first, c.row);
      a.first += kRows * a.row;
      c.first += kRows * c.row;
    }
  };
  band(Size<kTall>());
  if constexpr (kTall > 6) band(Size<6>());
  band(Size<4>());
  band(Size<2>());
  band(Size<1>());
}

/// Rows are too far apart for the processor to foresee the next ones.
constexpr int64_t kRowsAhead = 16;

/// The first n of 16 floats, scaled; the others are 0.
HEED_BF16 inline __m512 LoadScaled(const float* x, int64_t n, __m512 scale) {
  return _mm512_mul_ps(LoadUpTo(x, n), scale);
}

}  // namespace

void ProductByDots(int64_t rows, int64_t inner, int64_t cols,
                   const LeftWords& a, const RightWords& b, bool add,
                   const Floats2D& c) {
  const float* panel = b.first;
  Floats2D out = c;
  for (int64_t vectors = (cols + kBF16Lanes - 1) / kBF16Lanes; vectors > 0;
       vectors -= kTileVectors) {
    if (vectors >= 4) {
      Panel<4>(rows, inner, a, panel, b.row, add, out);
    } else if (vectors == 3) {
      Panel<3>(rows, inner, a, panel, b.row, add, out);
    } else if (vectors == 2) {
      Panel<2>(rows, inner, a, panel, b.row, add, out);
    } else {
      Panel<1>(rows, inner, a, panel, b.row, add, out);
    }
    panel += b.panel;
    out.first += kTileVectors * kBF16Lanes;
  }
}

HEED_BF16 void PairColumns(int64_t rows, int64_t cols, const float* x,
                           int64_t x_row, float scale, float* out,
                           int64_t out_row) {
  const __m512 factor = _mm512_set1_ps(scale);
  for (int64_t r = 0; r < rows; ++r) {
    const float* from = x + r * x_row;
    float* to = out + r * out_row;
    for (int64_t c = 0; c < cols; c += 2 * kBF16Lanes) {
      const int64_t rest = cols - c;
      __builtin_prefetch(from + kRowsAhead * x_row + c);
      __builtin_prefetch(from + kRowsAhead * x_row + c + kBF16Lanes);
      const __m512 low = LoadScaled(from + c, rest, factor);
      const __m512 high =
          LoadScaled(from + c + kBF16Lanes, rest - kBF16Lanes, factor);
      _mm512_storeu_ps(to + c / 2, (__m512)RoundedJoin(low, high));
    }
  }
}

HEED_BF16 void PairRows(int64_t rows, int64_t cols, const float* x,
                        int64_t x_row, float scale, float* out,
                        int64_t out_row) {
  const __m512 factor = _mm512_set1_ps(scale);
  for (int64_t r = 0; r < rows; r += 2) {
    const float* from = x + r * x_row;
    float* to = out + r / 2 * out_row;
    for (int64_t c = 0; c < cols; c += kBF16Lanes) {
      const __m512 low = LoadScaled(from + c, cols - c, factor);
      const __m512 high = r + 1 < rows
                              ? LoadScaled(from + x_row + c, cols - c, factor)
                              : _mm512_setzero_ps();
      __builtin_prefetch(from + kRowsAhead * x_row + c);
      __builtin_prefetch(from + (kRowsAhead + 1) * x_row + c);
      _mm512_storeu_si512(to + c, RoundedPairs(low, high));
    }
  }
}

}  // namespace heed::kernels::cpu

#else

namespace heed::kernels::cpu {

void ProductByDots(int64_t, int64_t, int64_t, const LeftWords&,
                   const RightWords&, bool, const Floats2D&) {
  assert(false);
}
void PairColumns(int64_t, int64_t, const float*, int64_t, float, float*,
                 int64_t) {
  assert(false);
}
void PairRows(int64_t, int64_t, const float*, int64_t, float, float*, int64_t) {
  assert(false);
}

}  // namespace heed::kernels::cpu

#endif

namespace heed::kernels::cpu {

bool HasTiles() {
#if defined(__x86_64__)
  // oneDNN asks the system too, which saves no tiles unless it was asked.
  static const bool has = [] {
    const auto amx = static_cast<int>(dnnl::cpu_isa::avx512_core_amx);
    return (static_cast<int>(dnnl::get_effective_cpu_isa()) & amx) == amx;
  }();
  return has;
#else
  return false;
#endif
}

void ProductBF16(int64_t rows, int64_t inner, int64_t cols, const LeftWords& a,
                 const RightWords& b, bool add, const Floats2D& c) {
  const auto product = HasTiles() ? ProductByTiles : ProductByDots;
  product(rows, inner, cols, a, b, add, c);
}

}  // namespace heed::kernels::cpu
