// ProductByTiles: AMX multiplies tiles of 16 rows of 16 words at once.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "heed/kernels/cpu/attention_bf16.h"

#if defined(__x86_64__)
#include "heed/kernels/cpu/amx-inl.h"
#include "heed/kernels/cpu/bf16-inl.h"
#include "heed/kernels/cpu/unroll.h"

namespace heed::kernels::cpu {
namespace {

/// Number of words summed before the next block: these rows of a right factor
/// stay in the L1 cache for all blocks of a column.
constexpr int64_t kPartWords = 128;
/// Cache lines prefetched per 16 words of a block.
constexpr int kLines = 8;

/// out[r, i] = x[i, r], 0 from i = rows on. Shapes: x [rows, 16], out [16, ·].
HEED_AMX void TransposeTile(int64_t rows, const float* x, int64_t x_row,
                            float* out, int64_t out_row) {
  __m512i words[kTileSide];
  for (int64_t i = 0; i < kTileSide; ++i) {
    words[i] =
        i < rows ? _mm512_loadu_si512(x + i * x_row) : _mm512_setzero_si512();
  }
  Transpose(words);
  for (int64_t r = 0; r < kTileSide; ++r) {
    _mm512_store_si512(out + r * out_row, words[r]);
  }
}

/// c (+)= a b of one block, with a in row order.
template <int kTiles, class Ahead>
HEED_AMX void Block(int64_t inner, const LeftWords& a, const float* b,
                    int64_t b_row, bool add, const Floats2D& c, Ahead& ahead) {
  constexpr auto kBF16 = TileWords::kBF16;
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  if (add) {
    LoadTiles<kTiles>(c.first, c.row * kFloat);
  } else {
    ZeroTiles();
  }
  ahead.template FetchResult<kTileSide, kTiles, kTileSide>(c);
  TilesUseMemory();
  int64_t i = 0;
  for (; i + kTileSide <= inner; i += kTileSide) {
    AddTiles<kBF16, kTiles>({a.first + i, a.row * kFloat},
                            {b + i * b_row, b_row * kFloat});
    if constexpr (std::is_same_v<Ahead, Meanwhile>) {
      ahead.do_some(ahead.work);
    } else {
      HEED_UNROLL for (int line = 0; line < kLines; ++line) ahead.FetchLine();
    }
  }
  ahead.Fetched(i / kTileSide * kLines);
  if (i < inner) {
    // Left words beyond the end are 0, but right ones are arbitrary.
    constexpr int64_t kCols = kTiles * kTileSide;
    alignas(64) float right[kTileSide * kCols] = {};
    for (int64_t w = 0; i + w < inner; ++w) {
      std::copy_n(b + (i + w) * b_row, kCols, right + w * kCols);
    }
    TilesUseMemory();
    AddTiles<kBF16, kTiles>({a.first + i, a.row * kFloat},
                            {right, kCols * kFloat});
  }
  StoreTiles<kTiles>(c.first, c.row * kFloat);
}

/// c (+)= a b for any number of rows.
template <class Ahead>
HEED_AMX void Blocks(int64_t rows, int64_t inner, int64_t cols,
                     const LeftWords& a, const RightWords& b, bool add,
                     const Floats2D& c, TileHeights& heights, Ahead& ahead) {
  for (int64_t first = 0; first < rows;) {
    // Whole blocks of all columns, then the remaining rows.
    const int64_t height = std::min(kTileSide, rows - first);
    const int64_t end = first + (rows - first) / height * height;
    heights.Set(height);
    for (int64_t col = 0; col < cols; col += kBlockCols) {
      const float* panel = b.first + col / kBlockCols * b.panel;
      WithTiles(cols - col, [&](auto tiles) HEED_AMX {
        for (int64_t r = first; r < end; r += height) {
          Block<tiles()>(inner, a.Rows(r), panel, b.row, add,
                         {c.first + r * c.row + col, c.row}, ahead);
        }
      });
    }
    first = end;
  }
}

template <class Ahead>
HEED_AMX void TileProducts(int64_t rows, int64_t inner, int64_t cols,
                           const LeftWords& a, const RightWords& b, bool add,
                           const Floats2D& c, Ahead ahead) {
  TileHeights heights;
  // At least one pass: an empty sum is 0.
  for (int64_t i = 0; i == 0 || i < inner; i += kPartWords) {
    const int64_t words = std::min(kPartWords, inner - i);
    const RightWords right{b.first + i * b.row, b.row, b.panel};
    const float* from = a.first + i * a.col;
    if (a.col == 1) {
      Blocks(rows, words, cols, {from, a.row, 1}, right, add || i > 0, c,
             heights, ahead);
      continue;
    }
    alignas(64) float left[kTileSide * kPartWords];
    for (int64_t r = 0; r < rows; r += kTileSide) {
      for (int64_t w = 0; w < words; w += kTileSide) {
        TransposeTile(std::min(kTileSide, words - w), from + w * a.col + r,
                      a.col, left + w, kPartWords);
      }
      Blocks(std::min(kTileSide, rows - r), words, cols, {left, kPartWords, 1},
             right, add || i > 0, {c.first + r * c.row, c.row}, heights, ahead);
    }
  }
}

}  // namespace

void ProductByTiles(int64_t rows, int64_t inner, int64_t cols,
                    const LeftWords& a, const RightWords& b, bool add,
                    const Floats2D& c, const LinesAhead* ahead) {
  WithAhead(ahead, [&](const auto& lines) {
    TileProducts(rows, inner, cols, a, b, add, c, lines);
  });
}

void ProductByTilesWith(const Meanwhile& meanwhile, int64_t rows, int64_t inner,
                        int64_t cols, const LeftWords& a, const RightWords& b,
                        bool add, const Floats2D& c) {
  TileProducts(rows, inner, cols, a, b, add, c, meanwhile);
}

}  // namespace heed::kernels::cpu

#else

namespace heed::kernels::cpu {

void ProductByTiles(int64_t, int64_t, int64_t, const LeftWords&,
                    const RightWords&, bool, const Floats2D&,
                    const LinesAhead*) {
  assert(false);
}
void ProductByTilesWith(const Meanwhile&, int64_t, int64_t, int64_t,
                        const LeftWords&, const RightWords&, bool,
                        const Floats2D&) {
  assert(false);
}

}  // namespace heed::kernels::cpu

#endif
