// Products of small packed matrices and the streaming softmax between them.
//
// Factors are f32, or bf16 in pairs along the dimension that a product sums: a
// word is one f32 or one such pair. Both have the same layout; only the number
// of words differs.
//
// Included once for each target, see hwy/highway.h.
#if defined(HEED_KERNELS_CPU_ATTENTION_TILES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_CPU_ATTENTION_TILES_INL_H_
#undef HEED_KERNELS_CPU_ATTENTION_TILES_INL_H_
#else
#define HEED_KERNELS_CPU_ATTENTION_TILES_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "heed/kernels/cpu/attention_bf16.h"
#include "heed/kernels/cpu/attention_rows-inl.h"
#include "heed/kernels/cpu/lanes-inl.h"
#include "heed/kernels/cpu/math-inl.h"
#include "heed/kernels/cpu/unroll.h"
#include "heed/kernels/gemm.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using cpu::Floats2D;
using cpu::LeftWords;
using cpu::RightWords;

using FloatD = hn::ScalableTag<float>;
using FloatV = hn::Vec<FloatD>;
inline constexpr int64_t kLanes = hn::MaxLanes(FloatD());
/// Number of vectors of a row of a product in registers: 6 rows of 4 with 32
/// registers, 6 rows of 2 with 16.
inline constexpr int64_t kTileVectors = kLanes == 16 ? 4 : 2;
inline constexpr int64_t kTileCols = kTileVectors * kLanes;

/// n rounded up to whole vectors.
constexpr int64_t Padded(int64_t n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

/// Storage format of the factors of products.
struct WordFormat {
  bool bf16 = false;

  explicit WordFormat(Precision precision)
      : bf16(precision == Precision::kBF16 && kLanes == cpu::kBF16Lanes &&
             HasBF16()) {}
  /// Number of words for n elements along a summed dimension.
  int64_t Words(int64_t n) const { return bf16 ? (n + 1) / 2 : n; }
};

/// c[kRows, kVectors vectors] (+)= a b.
template <int kRows, int kVectors, class Ahead>
HWY_NOINLINE void ProductTile(int64_t inner, const LeftWords& a, const float* b,
                              int64_t b_row, bool add, const Floats2D& c,
                              Ahead ahead) {
  const FloatD d;
  FloatV sums[kRows][kVectors];
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
      sums[r][v] =
          add ? hn::LoadU(d, c.first + r * c.row + v * kLanes) : hn::Zero(d);
    }
  }
  ahead.template FetchResult<kRows, kVectors, kLanes>(c);
  const float* a_i = a.first;
  for (int64_t i = 0; i < inner; ++i) {
    FloatV x[kVectors];
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) x[v] =
        hn::LoadU(d, b + v * kLanes);
    HEED_UNROLL for (int r = 0; r < kRows; ++r) {
      const FloatV w = hn::Set(d, a_i[r * a.row]);
      HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
        sums[r][v] = hn::MulAdd(w, x[v], sums[r][v]);
      }
    }
    a_i += a.col;
    b += b_row;
    ahead.FetchLine();
  }
  HEED_UNROLL for (int r = 0; r < kRows; ++r) {
    HEED_UNROLL for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[r][v], d, c.first + r * c.row + v * kLanes);
    }
  }
}

/// Computes c (+)= a b in tiles of kRows for as many rows as possible; advances
/// a and c to the remaining rows.
template <int kRows, int kVectors, class Ahead>
void ProductBand(int64_t& rows, int64_t inner, LeftWords& a, const float* b,
                 int64_t b_row, bool add, Floats2D& c, Ahead& ahead) {
  for (; rows >= kRows; rows -= kRows) {
    ProductTile<kRows, kVectors>(inner, a, b, b_row, add, c, ahead);
    ahead.Fetched(inner);
    a.first += kRows * a.row;
    c.first += kRows * c.row;
  }
}

template <int kVectors, class Ahead>
void ProductPanel(int64_t rows, int64_t inner, LeftWords a, const float* b,
                  int64_t b_row, bool add, Floats2D c, Ahead ahead) {
  // Narrow tiles are taller, to have enough independent sums.
  if constexpr (2 * kVectors <= kTileVectors) {
    ProductBand<12, kVectors>(rows, inner, a, b, b_row, add, c, ahead);
  }
  ProductBand<6, kVectors>(rows, inner, a, b, b_row, add, c, ahead);
  ProductBand<4, kVectors>(rows, inner, a, b, b_row, add, c, ahead);
  ProductBand<2, kVectors>(rows, inner, a, b, b_row, add, c, ahead);
  ProductBand<1, kVectors>(rows, inner, a, b, b_row, add, c, ahead);
}

/// c (+)= a b. Shapes: a [rows, inner], b [inner, cols], c [rows, cols], with
/// `inner` in words. Writes whole vectors of c. Not for bf16 with a prefetch
/// policy.
template <class Ahead = cpu::NothingAhead>
void Product(WordFormat format, int64_t rows, int64_t inner, int64_t cols,
             const LeftWords& a, const RightWords& b, bool add,
             const Floats2D& c, Ahead ahead = {}) {
  if (format.bf16) return cpu::ProductBF16(rows, inner, cols, a, b, add, c);
  const float* panel = b.first;
  Floats2D out = c;
  for (int64_t vectors = Padded(cols) / kLanes; vectors > 0;
       vectors -= kTileVectors) {
    switch (std::min(vectors, kTileVectors)) {
      case 1:
        ProductPanel<1>(rows, inner, a, panel, b.row, add, out, ahead);
        break;
      case 2:
        ProductPanel<2>(rows, inner, a, panel, b.row, add, out, ahead);
        break;
#if HWY_CAP_GE512
      case 3:
        ProductPanel<3>(rows, inner, a, panel, b.row, add, out, ahead);
        break;
      default:
        ProductPanel<4>(rows, inner, a, panel, b.row, add, out, ahead);
#endif
    }
    panel += b.panel;
    out.first += kTileCols;
  }
}

/// out = scale x, with rows padded by 0 to whole vectors.
inline void ScaleRows(int64_t rows, int64_t cols, const float* x, int64_t x_row,
                      float scale, float* out, int64_t out_row) {
  const FloatD d;
  const FloatV factor = hn::Set(d, scale);
  for (int64_t r = 0; r < rows; ++r) {
    const float* from = x + r * x_row;
    float* to = out + r * out_row;
    ForLanes<float>(cols, [=](auto lanes, int64_t c) HEED_LANES {
      hn::StoreU(hn::Mul(lanes.Load(from + c), factor), d, to + c);
      __builtin_prefetch(from + cpu::kRowsAhead * x_row + c);
    });
  }
}

/// Packs scale x as words, to be summed along its columns. Shapes: x [rows,
/// cols], out [rows, Padded(Words(cols))].
inline void PackColumns(WordFormat format, int64_t rows, int64_t cols,
                        const float* x, int64_t x_row, float scale,
                        float* out) {
  const int64_t out_row = Padded(format.Words(cols));
  const auto pack = format.bf16 ? cpu::PairColumns : ScaleRows;
  pack(rows, cols, x, x_row, scale, out, out_row);
}

/// Packs scale x as words, to be summed along its rows. Shapes: x [rows, cols],
/// out [Words(rows), Padded(cols)].
inline void PackRows(WordFormat format, int64_t rows, int64_t cols,
                     const float* x, int64_t x_row, float scale, float* out) {
  const auto pack = format.bf16 ? cpu::PairRows : ScaleRows;
  pack(rows, cols, x, x_row, scale, out, Padded(cols));
}

#if HWY_TARGET == HWY_SCALAR
/// Transposes kLanes rows of words into columns of `out`.
inline void TransposeVectors(int64_t words, const float* x, int64_t /*x_row*/,
                             float* out, int64_t out_row) {
  for (int64_t i = 0; i < words; ++i) out[i * out_row] = x[i];
}
#else
/// Loads 4 floats of each of Lanes(d) / 4 rows: every 4th row, from p on.
template <class D>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const float* p, int64_t row) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return hn::LoadU(d, p);
  } else {
    const hn::Half<D> half;
    const auto middle = static_cast<int64_t>(hn::MaxLanes(half));
    return hn::Combine(d, LoadBlocks(half, p + middle * row, row),
                       LoadBlocks(half, p, row));
  }
}

/// Transposes kLanes rows of words into columns of `out`. Shapes: x [kLanes,
/// words].
inline void TransposeVectors(int64_t words, const float* x, int64_t x_row,
                             float* out, int64_t out_row) {
  const FloatD d;
  const hn::Repartition<double, FloatD> pairs;
  for (int64_t i = 0; i < words; i += 4) {
    const FloatV r0 = LoadBlocks(d, x + i, x_row);
    const FloatV r1 = LoadBlocks(d, x + x_row + i, x_row);
    const FloatV r2 = LoadBlocks(d, x + 2 * x_row + i, x_row);
    const FloatV r3 = LoadBlocks(d, x + 3 * x_row + i, x_row);
    const auto low_01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
    const auto low_23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
    const auto high_01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
    const auto high_23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    const FloatV columns[4] = {
        hn::BitCast(d, hn::InterleaveLower(pairs, low_01, low_23)),
        hn::BitCast(d, hn::InterleaveUpper(pairs, low_01, low_23)),
        hn::BitCast(d, hn::InterleaveLower(pairs, high_01, high_23)),
        hn::BitCast(d, hn::InterleaveUpper(pairs, high_01, high_23))};
    for (int64_t c = 0; c < std::min<int64_t>(4, words - i); ++c) {
      hn::StoreU(columns[c], d, out + (i + c) * out_row);
    }
  }
}
#endif

/// Width of a panel of n packed columns.
constexpr int64_t PanelCols(int64_t n) {
  return std::min(kTileCols, Padded(n));
}

/// Packs x^T as words, to be summed along the columns of x, into columns from
/// `first` on of panels of kTileCols columns. `first` is a multiple of the
/// vector length; `lines` is scratch of kLanes rows of Padded(Words(cols)).
/// Shapes: x [rows, cols], a panel of out [Words(cols), panel_cols].
inline void PackTransposed(WordFormat format, int64_t rows, int64_t cols,
                           const float* x, int64_t x_row, float* lines,
                           int64_t first, int64_t panel_cols, float* out) {
  const int64_t words = format.Words(cols);
  const int64_t line = Padded(words);
  for (int64_t r = 0; r < rows; r += kLanes) {
    const int64_t n = std::min(kLanes, rows - r);
    PackColumns(format, n, cols, x + r * x_row, x_row, 1, lines);
    std::fill(lines + n * line, lines + kLanes * line, 0.0F);
    float* panel = out + (first + r) / kTileCols * words * panel_cols;
    TransposeVectors(words, lines, line, panel + (first + r) % kTileCols,
                     panel_cols);
  }
}

/// 2^x for 0 <= x < 1, exact at 0, minimax with relative error 8e-8.
HWY_INLINE FloatV Exp2Fraction(FloatV x) {
  const FloatD d;
  FloatV p = hn::Set(d, 0x1.e974fap-10F);
  p = hn::MulAdd(p, x, hn::Set(d, 0x1.277856p-7F));
  p = hn::MulAdd(p, x, hn::Set(d, 0x1.c91ce6p-5F));
  p = hn::MulAdd(p, x, hn::Set(d, 0x1.ebdb56p-3F));
  p = hn::MulAdd(p, x, hn::Set(d, 0x1.62e4bap-1F));
  return hn::MulAdd(p, x, hn::Set(d, 1.0F));
}

/// 2^x for x < 127; 0 for x < -126. NaN stays NaN.
HWY_INLINE FloatV Exp2(FloatV x) {
#if HWY_TARGET == HWY_AVX3
  // Not VREDUCEPS, which rounds the difference differently.
  const FloatV fraction = hn::Sub(x, hn::Floor(x));
  const __mmask16 normal =
      _mm512_cmp_ps_mask(x.raw, _mm512_set1_ps(-126), _CMP_NLT_UQ);
  return FloatV{
      _mm512_maskz_scalef_ps(normal, Exp2Fraction(fraction).raw, x.raw)};
#else
  const FloatD d;
  const hn::RebindToSigned<FloatD> di;
  const FloatV y = ClampBelow(x, hn::Set(d, -127.0F));
  const FloatV floor = hn::Floor(y);
  // The exponent bits of 2^-127 are those of 0.
  const FloatV scale = hn::BitCast(
      d,
      hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, floor), hn::Set(di, 127))));
  return hn::Mul(Exp2Fraction(hn::Sub(y, floor)), scale);
#endif
}

/// Keys of a block: whole panels; pairs are never split.
inline constexpr int64_t kKeyBlock = 128;
/// Queries of a block; more with tiles, which multiply so fast that reading
/// keys dominates.
inline constexpr int64_t kQueryBlock = 64;
inline constexpr int64_t kTileQueryBlock = 128;
/// Number of keys for which a mask is evaluated at once.
inline constexpr int64_t kMaskPart = 64;
static_assert(kKeyBlock % kMaskPart == 0 && kMaskPart % kTileCols == 0);

inline constexpr float kLog2E = 0x1.715476p0F;
inline constexpr float kLn2 = 0x1.62e430p-1F;

/// Sizes of a call, and the storage format of factors.
struct TiledSizes {
  explicit TiledSizes(const AttentionArgs& args)
      : B(args.batch()),
        T(args.queries()),
        S(args.keys()),
        H(args.heads),
        K(args.key_heads),
        A(args.features()),
        D(args.value_features()),
        format(args.precision),
        by_tiles(format.bf16 && cpu::HasTiles()),
        query_block(by_tiles ? kTileQueryBlock : kQueryBlock),
        query_scale(static_cast<float>(
            args.modifiers.empty() ? args.value * double{kLog2E} : args.value)),
        to_log2(args.modifiers.empty() ? 1 : kLog2E) {}

  int64_t B, T, S, H, K, A, D;
  WordFormat format;
  bool by_tiles;
  int64_t query_block;  // queries of a block
  // Scores are scaled such that exp(e) = 2^(to_log2 score). to_log2 is 1 unless
  // modifiers need e itself.
  float query_scale;
  float to_log2;

  int64_t query_blocks() const { return (T + query_block - 1) / query_block; }
  int64_t key_blocks() const { return (S + kKeyBlock - 1) / kKeyBlock; }
  int64_t group() const { return H / K; }
  /// Number of words in a row of packed queries.
  int64_t query_row() const { return Padded(format.Words(A)); }
  /// Size of the scratch of PackTransposed.
  int64_t lines(int64_t cols) const {
    return kLanes * Padded(format.Words(cols));
  }
};

/// Columns of head h of the rows of batch row b of x [B, N, heads * cols].
inline const float* HeadRows(const Tensor& x, int64_t b, int64_t h,
                             int64_t cols) {
  return x.row<float>(b * x.dim(1)) + h * cols;
}
inline float* HeadRows(Tensor& x, int64_t b, int64_t h, int64_t cols) {
  return x.row<float>(b * x.dim(1)) + h * cols;
}

/// Block of keys that some queries may attend to.
struct VisibleKeys {
  MaskRule::Extent extent;
  Range keys;  // undefined if extent is kNone
};

/// Mask extent of queries [t, t + rows) and `keys`.
inline MaskRule::Extent MaskExtent(const AttentionArgs& args, int64_t b,
                                   int64_t t, int64_t rows, Range keys) {
  const int64_t first = t + args.query_offset;
  return args.mask->Block(b, {first, first + rows}, keys);
}

/// Mask extent, and `keys` without fully masked parts at both ends.
inline VisibleKeys FindVisible(const AttentionArgs& args, int64_t b, int64_t t,
                               int64_t rows, Range keys) {
  using Extent = MaskRule::Extent;
  if (args.mask == nullptr) return {Extent::kAll, keys};
  const Extent extent = MaskExtent(args, b, t, rows, keys);
  if (extent != Extent::kSome) return {extent, keys};
  const auto none = [&](int64_t begin, int64_t end) {
    return MaskExtent(args, b, t, rows, {begin, end}) == Extent::kNone;
  };
  Range seen = keys;
  while (seen.size() > kMaskPart && none(seen.begin, seen.begin + kMaskPart)) {
    seen.begin += kMaskPart;
  }
  while (seen.size() > kMaskPart) {
    const int64_t last = seen.begin + (seen.size() - 1) / kMaskPart * kMaskPart;
    if (!none(last, seen.end)) break;
    seen.end = last;
  }
  return {extent, seen};
}

/// block.e = scores of packed queries and keys after modifiers and mask;
/// -infinity from block.cols to the end of the last vector. Uses tiles that
/// overlap with `meanwhile` unless that is null.
inline void BlockScores(const AttentionArgs& args, const TiledSizes& n,
                        MaskRule::Extent extent, const float* queries,
                        const RightWords& keys, const ScoreBlock& block,
                        float* saved,
                        const cpu::Meanwhile* meanwhile = nullptr) {
  using Extent = MaskRule::Extent;
  const LeftWords left{queries, n.query_row(), 1};
  const Floats2D scores{block.e, block.stride};
  const int64_t words = n.format.Words(n.A);
  if (meanwhile != nullptr) {
    cpu::ProductByTilesWith(*meanwhile, block.rows, words, block.cols, left,
                            keys, false, scores);
  } else {
    Product(n.format, block.rows, words, block.cols, left, keys, false, scores);
  }
  if (!args.modifiers.empty()) ModifyScores(args, Extent::kAll, block, saved);
  // A mask often cuts through only one part.
  for (int64_t c = 0; extent == Extent::kSome && c < block.cols;
       c += kMaskPart) {
    ScoreBlock part = block;
    part.e += c;
    part.s += c;
    part.cols = std::min(kMaskPart, block.cols - c);
    if (MaskExtent(args, block.b, block.t, block.rows,
                   {part.s, part.s + part.cols}) != Extent::kAll) {
      MaskScores(args, part);
    }
  }
  const int64_t rest = block.cols % kLanes;
  if (rest == 0) return;
  const FloatD d;
  const auto real = hn::FirstN(d, static_cast<size_t>(rest));
  for (int64_t r = 0; r < block.rows; ++r) {
    float* last = block.row(r) + block.cols - rest;
    hn::StoreU(hn::IfThenElse(real, hn::LoadU(d, last), hn::Neg(hn::Inf(d))), d,
               last);
  }
}

/// 2^(to_log2 (e - shift)). The difference comes first: it is exact for scores
/// so large that they differ by integers only.
template <bool kScaled>
HWY_INLINE FloatV Power(FloatV e, FloatV shift, FloatV to_log2) {
  const FloatV x = hn::Sub(e, shift);
  if constexpr (kScaled) return Exp2(hn::Mul(x, to_log2));
  return Exp2(x);
}

/// Log-sum-exp of a row in the units of its scores: +infinity for a fully
/// masked row, so that all its weights are 0.
inline float ScoreSum(float to_log2, float log_sum) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kGreat = 0x1p20F;
  if (log_sum == -kInfinity) return kInfinity;
  if (to_log2 != 1) return log_sum;
  const float sum = log_sum * kLog2E;
  // For larger sums, rounding could turn a weight of 1 into 0; BlockWeights
  // clamps weights above 1 instead.
  return std::abs(sum) < kGreat ? sum : sum - std::abs(sum) * 0x1p-22F;
}

template <bool kScaled>
void BlockWeightsIn(float to_log2, const ScoreBlock& block, const float* sum) {
  const FloatD d;
  const FloatV scale = hn::Set(d, to_log2);
  for (int64_t r = 0; r < block.rows; ++r) {
    const FloatV shift = hn::Set(d, sum[r]);
    float* e = block.row(r);
#pragma GCC unroll 4
    for (int64_t c = 0; c < block.cols; c += kLanes) {
      // Exceeds the sum only by the rounding of a huge score.
      const FloatV x = ClampAbove(hn::LoadU(d, e + c), shift);
      hn::StoreU(Power<kScaled>(x, shift, scale), d, e + c);
    }
  }
}

/// Replaces scores by weights before factors. sum: ScoreSum of each row.
inline void BlockWeights(float to_log2, const ScoreBlock& block,
                         const float* sum) {
  if (to_log2 == 1) {
    BlockWeightsIn<false>(to_log2, block, sum);
  } else {
    BlockWeightsIn<true>(to_log2, block, sum);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_CPU_ATTENTION_TILES_INL_H_
