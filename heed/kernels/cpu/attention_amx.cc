// ProductByTiles: AMX multiplies tiles of 16 rows of 16 words at once.
#include <algorithm>
#include <cassert>
#include <cstdint>

#include "heed/kernels/cpu/attention_bf16.h"

#if defined(__x86_64__)
#include <atomic>

#include "heed/kernels/cpu/bf16-inl.h"

#define HEED_AMX         \
  __attribute__((target( \
      "avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16")))

namespace heed::kernels::cpu {
namespace {

/// Rows of a tile, and words of its row.
constexpr int64_t kTileSide = 16;
constexpr int64_t kTileBytes = kTileSide * 4;
/// Columns of a panel of a right factor.
constexpr int64_t kPanelCols = 4 * kTileSide;

/// What LDTILECFG reads.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

/// GCC does not know that the instructions of tiles read memory.
inline void WriteMemory() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Tiles 0 to 3 are sums and 4 a left factor of so many rows, 5 to 7 right
/// ones.
HEED_AMX void Configure(int64_t rows) {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = kTileBytes;
    config.rows[tile] = static_cast<uint8_t>(tile < 5 ? rows : kTileSide);
  }
  WriteMemory();
  _tile_loadconfig(&config);
}

/// out[r, i] = x[i, r], 0 from i = rows on. Shapes: x [rows, 16], out [16, 16].
HEED_AMX void TransposeTile(int64_t rows, const float* x, int64_t x_row,
                            float* out) {
  __m512i words[kTileSide];
  for (int64_t i = 0; i < kTileSide; ++i) {
    words[i] =
        i < rows ? _mm512_loadu_si512(x + i * x_row) : _mm512_setzero_si512();
  }
  Transpose(words);
  for (int64_t r = 0; r < kTileSide; ++r) {
    _mm512_store_si512(out + r * kTileSide, words[r]);
  }
}

/// Sums += left x right for kVectors tiles beside each other. The macros of
/// tiles take literal numbers only.
template <int kVectors>
HEED_AMX void AddProducts(const float* left, int64_t left_row,
                          const float* right, int64_t right_row) {
  const int64_t stride = right_row * 4;
  WriteMemory();
  _tile_loadd(4, left, left_row * 4);
  _tile_loadd(5, right, stride);
  _tile_dpbf16ps(0, 4, 5);
  if constexpr (kVectors > 1) {
    _tile_loadd(6, right + kTileSide, stride);
    _tile_dpbf16ps(1, 4, 6);
  }
  if constexpr (kVectors > 2) {
    _tile_loadd(7, right + 2 * kTileSide, stride);
    _tile_dpbf16ps(2, 4, 7);
  }
  if constexpr (kVectors > 3) {
    _tile_loadd(5, right + 3 * kTileSide, stride);
    _tile_dpbf16ps(3, 4, 5);
  }
}

template <int kVectors>
HEED_AMX void LoadSums(bool add, const float* c, int64_t c_row) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  if (!add) return;
  const int64_t stride = c_row * 4;
  WriteMemory();
  _tile_loadd(0, c, stride);
  if constexpr (kVectors > 1) _tile_loadd(1, c + kTileSide, stride);
  if constexpr (kVectors > 2) _tile_loadd(2, c + 2 * kTileSide, stride);
  if constexpr (kVectors > 3) _tile_loadd(3, c + 3 * kTileSide, stride);
}

template <int kVectors>
HEED_AMX void StoreSums(float* c, int64_t c_row) {
  const int64_t stride = c_row * 4;
  _tile_stored(0, c, stride);
  if constexpr (kVectors > 1) _tile_stored(1, c + kTileSide, stride);
  if constexpr (kVectors > 2) _tile_stored(2, c + 2 * kTileSide, stride);
  if constexpr (kVectors > 3) _tile_stored(3, c + 3 * kTileSide, stride);
}

/// As many rows of a panel of c as Configure() was given.
template <int kVectors>
HEED_AMX void PanelRows(int64_t inner, const LeftWords& a, const float* b,
                        int64_t b_row, bool add, float* c, int64_t c_row) {
  LoadSums<kVectors>(add, c, c_row);
  alignas(64) float left[kTileSide * kTileSide];
  for (int64_t i = 0; i < inner; i += kTileSide) {
    const int64_t words = std::min(kTileSide, inner - i);
    const float* from = a.first + i * a.col;
    int64_t row = a.row;
    if (a.col != 1) {
      TransposeTile(words, from, a.col, left);
      from = left;
      row = kTileSide;
    }
    if (words == kTileSide) {
      AddProducts<kVectors>(from, row, b + i * b_row, b_row);
      continue;
    }
    // Left words beyond are 0, but right ones are anything.
    alignas(64) float right[kTileSide * kPanelCols] = {};
    for (int64_t w = 0; w < words; ++w) {
      std::copy_n(b + (i + w) * b_row, kVectors * kTileSide,
                  right + w * kPanelCols);
    }
    AddProducts<kVectors>(from, row, right, kPanelCols);
  }
  StoreSums<kVectors>(c, c_row);
}

}  // namespace

HEED_AMX void ProductByTiles(int64_t rows, int64_t inner, int64_t cols,
                             const LeftWords& a, const RightWords& b, bool add,
                             const Floats2D& c) {
  int64_t configured = 0;
  for (int64_t r = 0; r < rows; r += kTileSide) {
    const int64_t band = std::min(kTileSide, rows - r);
    if (band != configured) Configure(configured = band);
    const LeftWords left = a.Rows(r);
    const float* panel = b.first;
    float* out = c.first + r * c.row;
    for (int64_t col = 0; col < cols; col += kPanelCols) {
      float* sums = out + col;
      switch (std::min(kPanelCols, cols - col + kTileSide - 1) / kTileSide) {
        case 1:
          PanelRows<1>(inner, left, panel, b.row, add, sums, c.row);
          break;
        case 2:
          PanelRows<2>(inner, left, panel, b.row, add, sums, c.row);
          break;
        case 3:
          PanelRows<3>(inner, left, panel, b.row, add, sums, c.row);
          break;
        default:
          PanelRows<4>(inner, left, panel, b.row, add, sums, c.row);
      }
      panel += b.panel;
    }
  }
  _tile_release();
}

}  // namespace heed::kernels::cpu

#else

namespace heed::kernels::cpu {

void ProductByTiles(int64_t, int64_t, int64_t, const LeftWords&,
                    const RightWords&, bool, const Floats2D&) {
  assert(false);
}

}  // namespace heed::kernels::cpu

#endif
