// AMX tiles: 16 rows of 16 four-byte words, multiplied as a whole. Include only
// where __x86_64__ is defined; call only where HasTiles().
//
// A block of a product is one tile high and up to four tiles wide. Tiles 0 to 3
// hold sums, tile 4 left factors, tiles 5 to 7 right factors.
#ifndef HEED_KERNELS_CPU_AMX_INL_H_
#define HEED_KERNELS_CPU_AMX_INL_H_

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

#define HEED_AMX                                              \
  __attribute__((                                             \
      target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16," \
             "amx-tile,amx-bf16,amx-int8")))

namespace heed::kernels::cpu {

/// Rows of a tile, and words of its row.
inline constexpr int64_t kTileSide = 16;
/// Columns of a block.
inline constexpr int64_t kBlockCols = 4 * kTileSide;

/// Compiler barrier: GCC does not model that tile instructions access memory.
inline void TilesUseMemory() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Configures tile heights for its lifetime.
class TileHeights {
 public:
  TileHeights() = default;
  TileHeights(const TileHeights&) = delete;
  TileHeights& operator=(const TileHeights&) = delete;
  HEED_AMX ~TileHeights() { _tile_release(); }

  /// Configures tiles for blocks of `rows` rows. Range: 0 < rows <= kTileSide.
  HEED_AMX void Set(int64_t rows) {
    if (rows == rows_) return;
    rows_ = rows;
    Configuration to;
    for (int tile = 0; tile < 8; ++tile) {
      to.row_bytes[tile] = kTileSide * sizeof(float);
      to.rows[tile] = static_cast<uint8_t>(tile < 5 ? rows : kTileSide);
    }
    TilesUseMemory();
    _tile_loadconfig(&to);
  }

 private:
  /// Operand of LDTILECFG.
  struct alignas(64) Configuration {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};
  };

  int64_t rows_ = 0;
};

/// Contents of a word: a pair of bf16, or four bytes, signed in left and
/// unsigned in right factors.
enum class TileWords : uint8_t { kBF16, kBytes };

/// Rows of words or sums: first word, and distance between rows in bytes.
struct TileRows {
  const void* first;
  int64_t stride;
};

/// Adds left x right of one block, 16 words of each row, to the sums. (The
/// intrinsics are macros that require literal tile numbers.)
template <TileWords kWords, int kTiles>
HEED_AMX inline void AddTiles(const TileRows& left, const TileRows& right) {
  const auto* first = static_cast<const char*>(right.first);
  constexpr int64_t kBeside = kTileSide * sizeof(float);
  _tile_loadd(4, left.first, left.stride);
#define HEED_TILE_ADD(sum, tile)                          \
  _tile_loadd(tile, first + (sum)*kBeside, right.stride); \
  if constexpr (kWords == TileWords::kBF16) {             \
    _tile_dpbf16ps(sum, 4, tile);                         \
  } else {                                                \
    _tile_dpbsud(sum, 4, tile);                           \
  }
  HEED_TILE_ADD(0, 5);
  if constexpr (kTiles > 1) {
    HEED_TILE_ADD(1, 6);
  }
  if constexpr (kTiles > 2) {
    HEED_TILE_ADD(2, 7);
  }
  if constexpr (kTiles > 3) {
    HEED_TILE_ADD(3, 5);
  }
#undef HEED_TILE_ADD
}

/// Sets the sums to 0.
HEED_AMX inline void ZeroTiles() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

/// Loads the sums from c.
template <int kTiles>
HEED_AMX inline void LoadTiles(const float* c, int64_t stride) {
  TilesUseMemory();
  _tile_loadd(0, c, stride);
  if constexpr (kTiles > 1) _tile_loadd(1, c + kTileSide, stride);
  if constexpr (kTiles > 2) _tile_loadd(2, c + 2 * kTileSide, stride);
  if constexpr (kTiles > 3) _tile_loadd(3, c + 3 * kTileSide, stride);
}

/// Stores the sums to c.
template <int kTiles, class Number>
HEED_AMX inline void StoreTiles(Number* c, int64_t stride) {
  static_assert(sizeof(Number) == sizeof(float));
  _tile_stored(0, c, stride);
  if constexpr (kTiles > 1) _tile_stored(1, c + kTileSide, stride);
  if constexpr (kTiles > 2) _tile_stored(2, c + 2 * kTileSide, stride);
  if constexpr (kTiles > 3) _tile_stored(3, c + 3 * kTileSide, stride);
  TilesUseMemory();
}

/// Calls body(integral constant) with the number of tiles that cover `columns`
/// columns of a block.
template <class Body>
HEED_AMX inline void WithTiles(int64_t columns, const Body& body) {
  switch ((std::min(kBlockCols, columns) + kTileSide - 1) / kTileSide) {
    case 1:
      return body(std::integral_constant<int, 1>());
    case 2:
      return body(std::integral_constant<int, 2>());
    case 3:
      return body(std::integral_constant<int, 3>());
    default:
      return body(std::integral_constant<int, 4>());
  }
}

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_AMX_INL_H_
