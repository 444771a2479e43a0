// Products of bf16 factors in the layout of attention_tiles-inl.h.
//
// Compiled separately because Highway has no target with these instructions.
// Call only where HasBF16() and vectors have kBF16Lanes floats.
#ifndef HEED_KERNELS_CPU_ATTENTION_BF16_H_
#define HEED_KERNELS_CPU_ATTENTION_BF16_H_

#include <cstdint>

#include "heed/kernels/cpu/unroll.h"

namespace heed::kernels::cpu {

inline constexpr int64_t kBF16Lanes = 16;

/// Prefetch distance in rows, for packing rows whose stride defeats the
/// hardware prefetcher.
inline constexpr int64_t kRowsAhead = 16;

/// Left factor in words: element (r, i) is first[r * row + i * col]. Either col
/// is 1 and rows are padded with 0 to whole vectors, or row is 1 and whole
/// vectors of a column are read.
struct LeftWords {
  const float* first;
  int64_t row;
  int64_t col;

  LeftWords Rows(int64_t begin) const {
    return {first + begin * row, row, col};
  }
};

/// Right factor in words, in panels as wide as a tile of the product: element
/// (i, c) of panel p is first[p * panel + i * row + c]. Whole vectors are read.
struct RightWords {
  const float* first;
  int64_t row;
  int64_t panel;
};

/// Result matrix; whole vectors are written.
struct Floats2D {
  float* first;
  int64_t row;
};

/// Prefetch policy of a product: the tile of the result, and at each step a
/// line for later. This one prefetches nothing.
struct NothingAhead {
  template <int kRows, int kVectors, int64_t kLanes>
  void FetchResult(const Floats2D&) {}
  void FetchLine() {}
  void Fetched(int64_t) {}
};

/// Prefetches `lines` lines of the next product's right factor, and tiles of
/// the result. Storing to a result outside the caches would stall, in bf16 for
/// as long as 512 products per element.
struct LinesAhead {
  static constexpr int64_t kLine = 16;
  const float* next;
  int64_t lines;
  int64_t step = lines > 0 ? kLine : 0;  // becomes 0 at the last line

  template <int kRows, int kVectors, int64_t kLanes>
  void FetchResult(const Floats2D& c) {
    HEED_UNROLL for (int r = 0; r < kRows; ++r) {
      HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
        __builtin_prefetch(c.first + r * c.row + v * kLanes, 1);
      }
    }
  }
  void FetchLine() {
    __builtin_prefetch(next, 0, 2);
    next += step;
  }
  /// Advances past `count` lines that a copy of this policy prefetched.
  void Fetched(int64_t count) {
    lines -= count;
    if (lines > 0) {
      next += kLine * count;
    } else {
      step = 0;
    }
  }
};

/// Vector work that overlaps with tile multiplication: a product calls
/// do_some(work) after it issued the multiplications of each step of a block.
struct Meanwhile : NothingAhead {
  Meanwhile(void (*do_some_of)(void*), void* all)
      : do_some(do_some_of), work(all) {}
  void (*do_some)(void* work);
  void* work;
};

/// Calls body(prefetch policy).
template <class Body>
void WithAhead(const LinesAhead* ahead, const Body& body) {
  if (ahead == nullptr) {
    body(NothingAhead());
  } else {
    body(*ahead);
  }
}

/// c (+)= a b. Shapes: a [rows, inner], b [inner, cols], c [rows, cols]. Uses
/// tiles for all rows where HasTiles(), because their order of summation
/// differs from dot products. Prefetches `ahead` unless it is null.
void ProductBF16(int64_t rows, int64_t inner, int64_t cols, const LeftWords& a,
                 const RightWords& b, bool add, const Floats2D& c,
                 const LinesAhead* ahead = nullptr);

/// True if the processor has AMX and the system permits its use.
bool HasTiles();
/// ProductBF16 by AMX tiles; only where HasTiles().
void ProductByTiles(int64_t rows, int64_t inner, int64_t cols,
                    const LeftWords& a, const RightWords& b, bool add,
                    const Floats2D& c, const LinesAhead* ahead);
/// ProductByTiles that overlaps with the work of `meanwhile`.
void ProductByTilesWith(const Meanwhile& meanwhile, int64_t rows, int64_t inner,
                        int64_t cols, const LeftWords& a, const RightWords& b,
                        bool add, const Floats2D& c);
/// ProductBF16 by AVX-512 dot products.
void ProductByDots(int64_t rows, int64_t inner, int64_t cols,
                   const LeftWords& a, const RightWords& b, bool add,
                   const Floats2D& c, const LinesAhead* ahead);

/// out[r, i] = the pair (scale x[r, 2i], scale x[r, 2i + 1]), 0 from `cols` to
/// the end of the last vector of a row.
void PairColumns(int64_t rows, int64_t cols, const float* x, int64_t x_row,
                 float scale, float* out, int64_t out_row);

/// Weights of rows of a streaming softmax, as pairs along a row: out[r, i]
/// holds w(2i) and w(2i + 1) with w(c) = 2^(to_log2 (e[r, c] - shifts[r])), of
/// a relative error below 2^-13 before rounding to bf16, 0 from `cols` to the
/// end of the last vector. Adds the weights before rounding to sums[r], by
/// lane. Shapes: e [rows, cols], shifts [rows], sums [rows, kBF16Lanes]. Range:
/// to_log2 (e - shift) < 127; -infinity from `cols` to the end of e's last
/// vector.
void PairWeights(int64_t rows, int64_t cols, const float* e, int64_t e_row,
                 float to_log2, const float* shifts, float* sums, float* out,
                 int64_t out_row);

/// out[i, c] = the pair (scale x[2i, c], scale x[2i + 1, c]), 0 from `cols` to
/// the end of the last vector.
void PairRows(int64_t rows, int64_t cols, const float* x, int64_t x_row,
              float scale, float* out, int64_t out_row);
/// PairRows for bf16 without scaling.
void PairRowsOfBF16(int64_t rows, int64_t cols, const uint16_t* x,
                    int64_t x_row, float* out, int64_t out_row);

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_ATTENTION_BF16_H_
