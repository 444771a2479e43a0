// Helpers shared by products and weight gradients: left factors, packing of
// right factors, and division of a result among threads.
#ifndef HEED_KERNELS_CPU_PRODUCT_PARTS_H_
#define HEED_KERNELS_CPU_PRODUCT_PARTS_H_

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/attention_bf16.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/cpu/pairs.h"
#include "heed/kernels/gemm.h"

namespace heed::kernels::cpu {

inline uint16_t* Bits(Tensor& x, int64_t row) {
  return &x.row<bfloat16>(row)->bits;
}
inline const uint16_t* Bits(const Tensor& x, int64_t row) {
  return &x.row<bfloat16>(row)->bits;
}

/// Calls body(elements of x), f32 or the bits of bf16.
template <typename Body>
void WithNumbers(const Tensor& x, const Body& body) {
  if (x.dtype() == DType::kBF16) {
    body(Bits(x, 0));
  } else {
    body(x.data<float>());
  }
}

inline Tensor AsMatrix(const Tensor& x) {
  return x.Reshape({x.rows(), x.cols()});
}

inline Tensor BlockOf(const Tensor& matrix, const MatrixBlock& block) {
  return matrix.Slice(block.row, block.row + block.rows)
      .Columns(block.column, block.column + block.columns);
}

/// The given precision, or kNative if the processor does not multiply bf16.
inline Precision Supported(Precision precision) {
  static const bool bf16 = HasBF16();
  return precision == Precision::kBF16 && !bf16 ? Precision::kNative
                                                : precision;
}

/// True if a packed right factor holds pairs of bf16. Unless its precision is
/// kBF16, the left factor stays f32.
inline bool InPairs(const PackedMatrix& b) {
  return b.data.dtype() == DType::kBF16;
}

/// Left factor with the tensor that owns its memory.
struct LeftFactor {
  Tensor storage;
  LeftWords words;

  /// Left factor of dense rows of `storage`, each of `row_words` words.
  LeftFactor(Tensor rows, int64_t row_words)
      : storage(std::move(rows)),
        words{static_cast<const float*>(storage.raw()), row_words, 1} {}
  LeftFactor(Tensor kept, const LeftWords& factor)
      : storage(std::move(kept)), words(factor) {}
};

/// Row stride in words of a bf16 left factor: a multiple of 2 KB would map all
/// rows to the same L1 cache sets.
inline int64_t LeftRowWords(int64_t words) {
  constexpr int64_t kSame = 512;
  constexpr int64_t kLine = 16;
  return words % kSame == 0 ? words + kLine : words;
}

/// Size in bytes of a panel of `rows` rows.
inline int64_t PanelBytes(int64_t rows, bool bf16) {
  const DType dtype = bf16 ? DType::kBF16 : DType::kF32;
  return PaddedRows(rows, bf16) * kPanel * static_cast<int64_t>(SizeOf(dtype));
}

/// PackPanelBF16 if `bf16`, else PackPanel.
template <typename T>
void PackAnyPanel(const MatrixOf<T>& b, int64_t panel, int64_t rows, bool bf16,
                  void* out, Writing writing = Writing::kCached) {
  if (bf16) {
    PackPanelBF16(b, panel, rows, static_cast<uint16_t*>(out), writing);
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    PackPanel(b, panel, rows, static_cast<float*>(out), writing);
  } else {
    assert(false);
  }
}

/// Allocates storage for a packed [rows, n] operand, or reuses `packed` if it
/// is large enough and not shared. `pairs`: the elements are bf16.
void Reserve(int64_t rows, int64_t n, Precision precision, bool pairs,
             PackedMatrix& packed);

/// Packs a right operand [rows, n]: pack(panel, out) for each panel.
template <typename PackOne>
void PackPanels(int64_t rows, int64_t n, Precision precision, bool pairs,
                PackedMatrix& packed, const PackOne& pack) {
  Reserve(rows, n, precision, pairs, packed);
  const int64_t panel_size = PaddedRows(rows, pairs) * kPanel;
  constexpr int64_t kGrain = 1 << 14;
  const int64_t grain = kGrain / std::max<int64_t>(1, panel_size);
  auto* data = static_cast<char*>(packed.data.raw());
  const int64_t bytes = PanelBytes(rows, pairs);
  ParallelForEach(Panels(n), std::max<int64_t>(1, grain),
                  [&](int64_t p) { pack(p, data + p * bytes); });
}

/// Sizes of a product c [m, n] (+)= a [m, k] b.
struct Sizes {
  int64_t m, n, k;
  bool accumulate;
};

/// Computes c [m, n] (+)= a b with b packed.
inline void MultiplyPacked(const Sizes& size, bool bf16, const LeftWords& a,
                           const void* b, const Floats2D& c) {
  const auto multiply = bf16 ? MultiplyPanelsBF16 : MultiplyPanels;
  multiply(size.m, size.n, size.k, a, static_cast<const float*>(b),
           size.accumulate, c);
}

/// Minimum number of rows to divide a product by rows.
inline constexpr int64_t kManyRows = 512;

/// Rows per chunk: enough for the kernel's full rate, but few enough that 64
/// rows of a decoder step give several chunks for two cores. Wide results,
/// which leave the cache anyway, and tiles, which multiply faster than b is
/// read, use more rows per reading of b.
int64_t ChunkRows(int64_t rows, int64_t n, bool bf16 = false);

/// Destination of a product.
struct Result {
  Tensor& c;  // f32; or bf16 to be rounded, without accumulation
  bool accumulate = false;
  /// Further input that `finish` reads for each block, or null.
  const Tensor* beside = nullptr;
};

/// Prefetches a block of x.
void FetchBlock(const Tensor& x, const MatrixBlock& block, bool to_write);

/// Computes a block of c (+)= a b with these rows of a, then calls
/// finish(block, nullptr). A bf16 result is summed in f32 in parts, which
/// finish(part, &sums) may change.
template <typename Finish>
void MultiplyBlock(const MatrixBlock& block, const LeftWords& a,
                   const PackedMatrix& b, const Result& result,
                   const Finish& finish) {
  const bool bf16 = b.precision == Precision::kBF16;
  const int64_t panel_bytes = PanelBytes(b.k, InPairs(b));
  const auto* panels = static_cast<const char*>(b.data.raw()) +
                       block.column / kPanel * panel_bytes;
  Tensor& c = result.c;
  if (c.dtype() == DType::kF32) {
    const Floats2D to{c.row<float>(block.row) + block.column, c.row_stride()};
    if (InPairs(b) && !bf16) {
      MultiplyPanelsWidened(block.rows, block.columns, b.k, a,
                            reinterpret_cast<const float*>(panels),
                            result.accumulate, to);
    } else {
      MultiplyPacked({block.rows, block.columns, b.k, result.accumulate}, bf16,
                     a, panels, to);
    }
    finish(block, nullptr);
    return;
  }
  assert(bf16 && !result.accumulate);
  constexpr int64_t kPartColumns = 4 * kPanel;  // parts stay in the L2 cache
  Tensor scratch({block.rows, std::min(kPartColumns, block.columns)});
  for (int64_t j = 0; j < block.columns; j += kPartColumns) {
    const MatrixBlock part{block.row, block.rows, block.column + j,
                           std::min(kPartColumns, block.columns - j)};
    FetchBlock(c, part, /*to_write=*/true);
    if (result.beside != nullptr) FetchBlock(*result.beside, part, false);
    Tensor sums = scratch.Columns(0, part.columns);
    MultiplyPacked({part.rows, part.columns, b.k, false}, bf16, a,
                   panels + j / kPanel * panel_bytes,
                   {sums.data<float>(), sums.row_stride()});
    finish(part, &sums);
    Tensor to = BlockOf(AsMatrix(c), part);
    StoreFactor(sums, to);
  }
}

/// Divides a product by rows; each chunk uses all panels. left(first row, rows)
/// computes rows of a as a LeftFactor, which stays in the cache while it is
/// used.
template <typename Left, typename Finish>
void RunRows(int64_t rows, const PackedMatrix& b, const Result& result,
             const Left& left, const Finish& finish) {
  const int64_t chunk = ChunkRows(rows, b.n, b.precision == Precision::kBF16);
  ParallelFor(rows, chunk, [&](int64_t begin, int64_t end) {
    const LeftFactor a = left(begin, end - begin);
    MultiplyBlock({begin, end - begin, 0, b.n}, a.words, b, result, finish);
  });
}

/// A `finish` of RunRows that leaves the result unchanged.
inline void LeaveAsItIs(const MatrixBlock&, Tensor*) {}

/// f64 products for gradient checks: plain cache-friendly loops.
void MultiplyF64(const Tensor& a, const Tensor& b, bool accumulate, Tensor& c);
Tensor TransposedF64(const Tensor& b);

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_PRODUCT_PARTS_H_
