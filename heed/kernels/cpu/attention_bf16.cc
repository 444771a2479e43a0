#include "heed/kernels/cpu/attention_bf16.h"

#include <cassert>
#include <type_traits>

#include "heed/kernels/cpu/unroll.h"

#if defined(__x86_64__)
#include "heed/kernels/cpu/bf16-inl.h"
#include "heed/kernels/cpu/onednn.h"

namespace heed::kernels::cpu {
namespace {

constexpr int64_t kTileVectors = 4;

template <int kN>
using Size = std::integral_constant<int, kN>;

/// c[kRows, kVectors vectors] (+)= a b.
template <int kRows, int kVectors, class Ahead>
HEED_BF16 void Tile(int64_t inner, const LeftWords& a, const float* b,
                    int64_t b_row, bool add, const Floats2D& c, Ahead ahead) {
  __m512 sums[kRows][kVectors];
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = add ? _mm512_loadu_ps(c.first + r * c.row + v * kBF16Lanes)
                       : _mm512_setzero_ps();
    }
  }
  ahead.template FetchResult<kRows, kVectors, kBF16Lanes>(c);
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
    ahead.FetchLine();
  }
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
      _mm512_storeu_ps(c.first + r * c.row + v * kBF16Lanes, sums[r][v]);
    }
  }
}

template <int kVectors, class Ahead>
void Panel(int64_t rows, int64_t inner, LeftWords a, const float* b,
           int64_t b_row, bool add, Floats2D c, Ahead ahead) {
  constexpr int kTall = kVectors <= 2 ? 12 : 6;
  int64_t left = rows;
  const auto band = [&]<int kRows>(Size<kRows>) {
    for (; left >= kRows; left -= kRows) {
      Tile<kRows, kVectors>(inner, a, b, b_row, add, c, ahead);
      ahead.Fetched(inner);
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

/// 2^x for x < 127; 0 for x < -126. NaN stays NaN. Exact at integers, else a
/// minimax cubic polynomial with relative error 2^-13.5.
HEED_BF16 inline __m512 RoughExp2(__m512 x) {
  const __m512 fraction = _mm512_sub_ps(x, _mm512_floor_ps(x));
  __m512 p = _mm512_set1_ps(0x1.3baaa6p-4F);
  p = _mm512_fmadd_ps(p, fraction, _mm512_set1_ps(0x1.d2378ap-3F));
  p = _mm512_fmadd_ps(p, fraction, _mm512_set1_ps(0x1.63e658p-1F));
  p = _mm512_fmadd_ps(p, fraction, _mm512_set1_ps(1));
  const __mmask16 normal =
      _mm512_cmp_ps_mask(x, _mm512_set1_ps(-126), _CMP_NLT_UQ);
  return _mm512_maskz_scalef_ps(normal, p, x);
}

template <bool kScaled>
HEED_BF16 void PairWeightsIn(int64_t rows, int64_t cols, const float* e,
                             int64_t e_row, float to_log2, const float* shifts,
                             float* sums, float* out, int64_t out_row) {
  const __m512 scale = _mm512_set1_ps(to_log2);
  for (int64_t r = 0; r < rows; ++r) {
    const __m512 shift = _mm512_set1_ps(shifts[r]);
    const auto weight = [&](const float* from) HEED_BF16 {
      __m512 x = _mm512_sub_ps(_mm512_loadu_ps(from), shift);
      if constexpr (kScaled) x = _mm512_mul_ps(x, scale);
      return RoughExp2(x);
    };
    const float* from = e + r * e_row;
    float* to = out + r * out_row;
    __m512 low_sum = _mm512_loadu_ps(sums + r * kBF16Lanes);
    __m512 high_sum = _mm512_setzero_ps();
    for (int64_t c = 0; c < cols; c += 2 * kBF16Lanes) {
      const __m512 low = weight(from + c);
      const __m512 high = c + kBF16Lanes < cols ? weight(from + c + kBF16Lanes)
                                                : _mm512_setzero_ps();
      low_sum = _mm512_add_ps(low_sum, low);
      high_sum = _mm512_add_ps(high_sum, high);
      _mm512_storeu_si512(to + c / 2, RoundedJoin(low, high));
    }
    _mm512_storeu_ps(sums + r * kBF16Lanes, _mm512_add_ps(low_sum, high_sum));
  }
}

template <class Ahead>
void DotProducts(int64_t rows, int64_t inner, int64_t cols, const LeftWords& a,
                 const RightWords& b, bool add, const Floats2D& c,
                 const Ahead& ahead) {
  const float* panel = b.first;
  Floats2D out = c;
  for (int64_t vectors = (cols + kBF16Lanes - 1) / kBF16Lanes; vectors > 0;
       vectors -= kTileVectors) {
    if (vectors >= 4) {
      Panel<4>(rows, inner, a, panel, b.row, add, out, ahead);
    } else if (vectors == 3) {
      Panel<3>(rows, inner, a, panel, b.row, add, out, ahead);
    } else if (vectors == 2) {
      Panel<2>(rows, inner, a, panel, b.row, add, out, ahead);
    } else {
      Panel<1>(rows, inner, a, panel, b.row, add, out, ahead);
    }
    panel += b.panel;
    out.first += kTileVectors * kBF16Lanes;
  }
}

/// The first n of 16 floats, scaled; the others are 0.
HEED_BF16 inline __m512 LoadScaled(const float* x, int64_t n, __m512 scale) {
  return _mm512_mul_ps(LoadUpTo(x, n), scale);
}

}  // namespace

void ProductByDots(int64_t rows, int64_t inner, int64_t cols,
                   const LeftWords& a, const RightWords& b, bool add,
                   const Floats2D& c, const LinesAhead* ahead) {
  WithAhead(ahead, [&](const auto& lines) {
    DotProducts(rows, inner, cols, a, b, add, c, lines);
  });
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

void PairWeights(int64_t rows, int64_t cols, const float* e, int64_t e_row,
                 float to_log2, const float* shifts, float* sums, float* out,
                 int64_t out_row) {
  const auto pair = to_log2 == 1 ? PairWeightsIn<false> : PairWeightsIn<true>;
  pair(rows, cols, e, e_row, to_log2, shifts, sums, out, out_row);
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

HEED_BF16 void PairRowsOfBF16(int64_t rows, int64_t cols, const uint16_t* x,
                              int64_t x_row, float* out, int64_t out_row) {
  for (int64_t r = 0; r < rows; r += 2) {
    const uint16_t* from = x + r * x_row;
    float* to = out + r / 2 * out_row;
    for (int64_t c = 0; c < cols; c += kBF16Lanes) {
      __builtin_prefetch(from + kRowsAhead * x_row + c);
      __builtin_prefetch(from + (kRowsAhead + 1) * x_row + c);
      _mm512_storeu_si512(to + c,
                          LoadPairs(from + c, cols - c, from + x_row + c,
                                    r + 1 < rows ? cols - c : 0));
    }
  }
}

}  // namespace heed::kernels::cpu

#else

namespace heed::kernels::cpu {

void ProductByDots(int64_t, int64_t, int64_t, const LeftWords&,
                   const RightWords&, bool, const Floats2D&,
                   const LinesAhead*) {
  assert(false);
}
void PairColumns(int64_t, int64_t, const float*, int64_t, float, float*,
                 int64_t) {
  assert(false);
}
void PairRows(int64_t, int64_t, const float*, int64_t, float, float*, int64_t) {
  assert(false);
}
void PairRowsOfBF16(int64_t, int64_t, const uint16_t*, int64_t, float*,
                    int64_t) {
  assert(false);
}
void PairWeights(int64_t, int64_t, const float*, int64_t, float, const float*,
                 float*, float*, int64_t) {
  assert(false);
}

}  // namespace heed::kernels::cpu

#endif

namespace heed::kernels::cpu {

bool HasTiles() {
#if defined(__x86_64__)
  // oneDNN also requests permission from the operating system, which saves no
  // tile state without it.
  static const bool has = HasInstructions(dnnl::cpu_isa::avx512_core_amx);
  return has;
#else
  return false;
#endif
}

void ProductBF16(int64_t rows, int64_t inner, int64_t cols, const LeftWords& a,
                 const RightWords& b, bool add, const Floats2D& c,
                 const LinesAhead* ahead) {
  const auto product = HasTiles() ? ProductByTiles : ProductByDots;
  product(rows, inner, cols, a, b, add, c, ahead);
}

}  // namespace heed::kernels::cpu
