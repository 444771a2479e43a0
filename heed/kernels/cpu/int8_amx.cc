// MultiplyInt8ByTiles: AMX multiplies tiles of 16 rows of 16 words at once.
#include <algorithm>
#include <cassert>
#include <cstdint>

#include "heed/kernels/cpu/int8.h"

#if defined(__x86_64__)
#include "heed/kernels/cpu/amx-inl.h"
#include "heed/kernels/cpu/bf16-inl.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/cpu/unroll.h"

namespace heed::kernels::cpu {
namespace {

static_assert(kBlockCols == kPanel);
constexpr int64_t kTileBytes = kTileSide * kWordBytes;
constexpr int64_t kRightBytes = kBlockCols * kWordBytes;
/// Cache lines of the next panel prefetched per 16 words.
constexpr int kLines = 16;

/// Sums of a block.
using Sums = int32_t[kTileSide * kBlockCols];

/// sums = a b of one block.
template <int kTiles>
HEED_AMX void AddBlock(int64_t words, int64_t rows, const int8_t* a,
                       int64_t stride, const uint8_t* b, Sums& sums,
                       LinesAhead& ahead) {
  ZeroTiles();
  TilesUseMemory();
  int64_t i = 0;
  for (; i + kTileSide <= words; i += kTileSide) {
    AddTiles<TileWords::kBytes, kTiles>({a + i * kWordBytes, stride},
                                        {b + i * kRightBytes, kRightBytes});
    HEED_UNROLL for (int line = 0; line < kLines; ++line) ahead.FetchLine();
  }
  ahead.Fetched(i / kTileSide * kLines);
  if (i < words) {
    alignas(64) int8_t left[kTileSide * kTileBytes] = {};
    alignas(64) uint8_t right[kTileSide * kRightBytes] = {};
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(a + r * stride + i * kWordBytes, (words - i) * kWordBytes,
                  left + r * kTileBytes);
    }
    std::copy_n(b + i * kRightBytes, (words - i) * kRightBytes, right);
    TilesUseMemory();
    AddTiles<TileWords::kBytes, kTiles>({left, kTileBytes},
                                        {right, kRightBytes});
  }
  StoreTiles<kTiles>(sums, kRightBytes);
}

/// Writes `count` columns from `first` on of row r of the result. Operations
/// have the same order as in all other int8 products.
HEED_AMX void FinishRow(const Int8Product& p, int64_t r, int64_t first,
                        int64_t count, const int32_t* sums) {
  const __m512i start = _mm512_set1_epi32(-kWeightOffset * p.a.sums[r]);
  const __m512 row_scale = _mm512_set1_ps(p.a.scales[r]);
  float* c = p.c + r * p.n + first;
  // A mask avoids a GCC 12 warning about uninitialised values.
  constexpr __mmask16 kAll = 0xffff;
  for (int64_t j = 0; j < count; j += kTileSide) {
    const __mmask16 used = FirstLanes(count - j);
    const __m512i sum = _mm512_add_epi32(_mm512_load_si512(sums + j), start);
    const __m512 scale =
        _mm512_mul_ps(row_scale, _mm512_loadu_ps(p.b_scales + first + j));
    __m512 y = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(kAll, sum), scale);
    if (p.bias != nullptr) {
      y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(used, p.bias + first + j));
    }
    if (p.accumulate) y = _mm512_add_ps(y, _mm512_maskz_loadu_ps(used, c + j));
    if (p.relu) {
      const __mmask16 kept =
          _mm512_cmp_ps_mask(y, _mm512_setzero_ps(), _CMP_NLT_UQ);
      y = _mm512_maskz_mov_ps(kept, y);
    }
    _mm512_mask_storeu_ps(c + j, used, y);
  }
}

}  // namespace

HEED_AMX void MultiplyInt8ByTiles(const Int8Product& p, const Int8Part& part) {
  const int64_t panel_bytes = p.words * kRightBytes;
  TileHeights heights;
  alignas(64) Sums sums;
  for (int64_t panel = part.first_panel; panel < part.last_panel; ++panel) {
    const uint8_t* b = p.b + panel * panel_bytes;
    const int64_t first = panel * kBlockCols;
    const int64_t columns = std::min(kBlockCols, p.n - first);
    LinesAhead ahead{reinterpret_cast<const float*>(b + panel_bytes),
                     panel_bytes / (LinesAhead::kLine * kWordBytes)};
    WithTiles(columns, [&](auto tiles) HEED_AMX {
      for (int64_t r = part.first_row; r < part.last_row; r += kTileSide) {
        const int64_t rows = std::min(kTileSide, part.last_row - r);
        heights.Set(rows);
        AddBlock<tiles()>(p.words, rows, p.a.values + r * p.a.stride,
                          p.a.stride, b, sums, ahead);
        for (int64_t i = 0; i < rows; ++i) {
          FinishRow(p, r + i, first, columns, sums + i * kBlockCols);
        }
      }
    });
  }
}

}  // namespace heed::kernels::cpu

#else

namespace heed::kernels::cpu {

void MultiplyInt8ByTiles(const Int8Product&, const Int8Part&) { assert(false); }

}  // namespace heed::kernels::cpu

#endif
