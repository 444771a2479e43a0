// Division of products into chunks, and packing of factors.
#include "heed/kernels/gemm.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/cpu/product_parts.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/reduce.h"

#if defined(__x86_64__)
#include "heed/kernels/cpu/onednn.h"
#endif

namespace heed::kernels {
namespace {

using cpu::BlockOf;
using cpu::LeftFactor;
using cpu::Result;

/// Number of panels of a chunk: enough work to amortise the scheduler.
int64_t ChunkPanels(int64_t rows, int64_t k) {
  constexpr int64_t kProducts = int64_t{1} << 20;
  constexpr int64_t kMinRows = 8;  // cost of reading b
  const int64_t products = cpu::kPanel * k * std::max(rows, kMinRows);
  return std::max<int64_t>(1, kProducts / std::max<int64_t>(1, products));
}

/// Number of rows of a result that RunChunks computes together.
int64_t BlockRows(int64_t rows, int64_t n, bool bf16) {
  if (rows >= cpu::kManyRows) return cpu::ChunkRows(rows, n, bf16);
  return cpu::ChunkRows(n <= cpu::kPanel ? 0 : cpu::kManyRows, 0);
}

/// c [rows, n] (+)= a [rows, k] b for few rows: the few chunks of a panel run
/// in sequence, so that b is read once. For `left` and `finish` see RunRows.
template <typename Left, typename Finish>
void RunPanels(int64_t rows, const PackedMatrix& b, const Result& result,
               const Left& left, const Finish& finish) {
  const LeftFactor a = left(0, rows);
  const int64_t unit = BlockRows(rows, b.n, b.precision == Precision::kBF16);
  const int64_t row_blocks = (rows + unit - 1) / unit;
  const int64_t group = ChunkPanels(std::min(rows, unit), b.k);
  const int64_t groups = (cpu::Panels(b.n) + group - 1) / group;
  ParallelForEach(row_blocks * groups, 1, [&](int64_t i) {
    const int64_t column = i / row_blocks * group * cpu::kPanel;
    const int64_t r = i % row_blocks * unit;
    const MatrixBlock block{r, std::min(unit, rows - r), column,
                            std::min(group * cpu::kPanel, b.n - column)};
    cpu::MultiplyBlock(block, a.words.Rows(r), b, result, finish);
  });
}

/// Runs RunPanels for few rows, else RunRows.
template <typename Left, typename Finish>
void RunChunks(int64_t rows, const PackedMatrix& b, const Result& result,
               const Left& left, const Finish& finish) {
  if (rows < cpu::kManyRows) {
    RunPanels(rows, b, result, left, finish);
  } else {
    cpu::RunRows(rows, b, result, left, finish);
  }
}

/// Rows [r, r + rows) of x, f32.
LeftFactor RowsF32(const Tensor& x, int64_t r) {
  return {Tensor(), cpu::LeftWords{x.row<float>(r), x.row_stride(), 1}};
}

/// True if rows of x are whole vectors of pairs.
bool AreWords(const Tensor& x) {
  return x.dtype() == DType::kBF16 &&
         x.cols() == cpu::PaddedRows(x.cols(), true) &&
         x.row_stride() % 2 == 0 &&
         reinterpret_cast<uintptr_t>(x.raw()) % cpu::kWordBytes == 0;
}

/// Rows [r, r + rows) of x in bf16, padded with zeros; a view if possible.
LeftFactor RowsBF16(const Tensor& x, int64_t r, int64_t rows) {
  const int64_t padded = cpu::PaddedRows(x.cols(), true);
  if (AreWords(x)) {
    return {Tensor(), cpu::LeftWords{static_cast<const float*>(x.raw()) +
                                         r * x.row_stride() / 2,
                                     x.row_stride() / 2, 1}};
  }
  const int64_t words = cpu::LeftRowWords(padded / 2);
  Tensor rounded({rows, 2 * words}, DType::kBF16);
  constexpr int64_t kGrain = 1 << 16;
  const int64_t grain = kGrain / std::max<int64_t>(1, words);
  ParallelForEach(rows, std::max<int64_t>(1, grain), [&](int64_t i) {
    uint16_t* to = cpu::Bits(rounded, i);
    if (x.dtype() == DType::kBF16) {
      std::copy_n(cpu::Bits(x, r + i), x.cols(), to);
    } else {
      cpu::RoundBF16(x.row<float>(r + i), x.cols(), to);
    }
    std::fill(to + x.cols(), to + 2 * words, uint16_t{0});
  });
  return {std::move(rounded), words};
}

/// result (+)= a b; for `finish` see MultiplyBlock.
template <typename Finish>
void MultiplyInto(const Tensor& a, const PackedMatrix& b, const Result& result,
                  const Finish& finish) {
  Tensor& c = result.c;
  if (c.dtype() == DType::kF64) {
    cpu::MultiplyF64(a, b.data, result.accumulate, c);
    finish(MatrixBlock{0, c.rows(), 0, c.cols()}, nullptr);
    return;
  }
  if (b.precision == Precision::kBF16) {
    RunChunks(
        c.rows(), b, result,
        [&](int64_t r, int64_t m) { return RowsBF16(a, r, m); }, finish);
    return;
  }
  RunChunks(
      c.rows(), b, result, [&](int64_t r, int64_t) { return RowsF32(a, r); },
      finish);
}

/// Product with an int8 factor whose blocks of columns need left factors of
/// different scales.
void MultiplyBlocks(const Tensor& a, const PackedMatrix& b,
                    const Epilogue& epilogue, Tensor& c) {
  const int64_t width = b.n / b.left_multipliers.numel();
  const Tensor result = cpu::AsMatrix(c);
  for (int64_t begin = 0; begin < b.n; begin += width) {
    const float multiplier = b.left_multipliers.data<float>()[begin / width];
    const int64_t first = begin / cpu::kPanel;
    const PackedMatrix part =
        SelectPanels(b, first, cpu::Panels(begin + width));
    Tensor sums({c.rows(), part.n});
    Multiply(QuantizeRows(a, multiplier), part, {}, sums);
    const int64_t column = begin - first * cpu::kPanel;
    const Tensor own = sums.Columns(column, column + width).Contiguous();
    Tensor to = result.Columns(begin, begin + width);
    if (epilogue.accumulate) {
      AddTo(to, own);
    } else {
      to.CopyFrom(own);
    }
  }
  if (epilogue.bias != nullptr || epilogue.activation != Activation::kNone) {
    const Tensor bias =
        epilogue.bias == nullptr ? Tensor() : epilogue.bias->Reshape({b.n});
    Activate(c, bias, epilogue.activation, c);
  }
  if (epilogue.dropout.rate > 0) {
    DropPart(c, 0, 0, c.cols(), epilogue.dropout);
  }
}

}  // namespace

float LeftMultiplier(const PackedMatrix& b) {
  assert(!b.left_multipliers.defined() || b.left_multipliers.numel() == 1);
  return b.left_multipliers.defined() ? b.left_multipliers.item() : 0;
}

DType StoredDType(Precision precision, DType dtype) {
  const bool rounds =
      dtype == DType::kF32 && cpu::Supported(precision) == Precision::kBF16;
  return rounds ? DType::kBF16 : dtype;
}

Tensor FactorRows(int64_t rows, int64_t cols, DType dtype) {
  if (dtype != DType::kBF16) return Tensor({rows, cols}, dtype);
  const int64_t words = cpu::LeftRowWords(cpu::PairWords(cols));
  return Tensor({rows, 2 * words}, dtype).Columns(0, cols);
}

void StoreFactor(const Tensor& x, Tensor& stored) {
  if (stored.dtype() != DType::kBF16 || x.dtype() == DType::kBF16) {
    stored.CopyFrom(x);
    return;
  }
  for (int64_t r = 0; r < x.rows(); ++r) {
    cpu::RoundBF16(x.row<float>(r), x.cols(), cpu::Bits(stored, r));
  }
}

bool HasBF16() {
#if defined(__x86_64__)
  return cpu::HasInstructions(dnnl::cpu_isa::avx512_core_bf16);
#else
  return false;
#endif
}

void Pack(const Tensor& b, bool transpose, Precision precision,
          PackedMatrix& packed) {
  if (b.dtype() == DType::kF64) {
    packed = {transpose ? cpu::TransposedF64(b) : b.Clone(), Tensor(),
              transpose ? b.cols() : b.rows(), transpose ? b.rows() : b.cols(),
              Precision::kNative};
    return;
  }
  const int64_t k = transpose ? b.cols() : b.rows();
  const int64_t n = transpose ? b.rows() : b.cols();
  if (precision == Precision::kInt8) {
    if (k <= kMaxInt8Sum) {
      Pack(Quantize(b, transpose), transpose, packed);
      return;
    }
    precision = Precision::kNative;
  }
  precision = cpu::Supported(precision);
  const cpu::MatrixView view{b.data<float>(), k, n, b.row_stride(), transpose};
  const bool bf16 = precision == Precision::kBF16;
  cpu::PackPanels(k, n, precision, bf16, packed, [&](int64_t p, void* out) {
    cpu::PackAnyPanel(view, p, k, bf16, out);
  });
}

void PackBlock(const Tensor& b, const MatrixBlock& block,
               const PackedForms& forms) {
  assert(block.row % cpu::kPanel == 0 && block.column % cpu::kPanel == 0);
  // Packs the panels of columns [column, column + columns) of a factor, from
  // `row` on, with the rows of `view`.
  const auto pack = [](const cpu::MatrixView& view, int64_t row, int64_t column,
                       int64_t columns, PackedMatrix& to) {
    const bool bf16 = to.precision == Precision::kBF16;
    const int64_t panel_bytes = cpu::PanelBytes(to.k, bf16);
    // Larger panels would be evicted from the caches before their next use.
    constexpr int64_t kCached = 1 << 18;
    const auto writing = cpu::Panels(to.n) * panel_bytes > kCached
                             ? cpu::Writing::kStream
                             : cpu::Writing::kCached;
    auto* data = static_cast<char*>(to.data.raw()) + cpu::PanelBytes(row, bf16);
    const int64_t first = column / cpu::kPanel;
    for (int64_t p = first; p < first + cpu::Panels(columns); ++p) {
      cpu::PackAnyPanel(view, p, view.k, bf16, data + p * panel_bytes, writing);
    }
  };
  const float* data = b.data<float>();
  const int64_t stride = b.row_stride();
  if (forms.plain != nullptr) {
    pack({data + block.row * stride, block.rows, b.cols(), stride, false},
         block.row, block.column, block.columns, *forms.plain);
  }
  if (forms.transposed != nullptr) {
    pack({data + block.column, block.columns, b.rows(), stride, true},
         block.column, block.row, block.rows, *forms.transposed);
  }
}

void Multiply(const Tensor& a, const PackedMatrix& b, const Epilogue& epilogue,
              Tensor& c) {
  assert(a.cols() == b.k && c.cols() == b.n);
  if (c.numel() == 0) return;
  // A tensor without columns does not know its rows.
  assert(b.k == 0 || a.rows() == c.rows());
  assert(c.contiguous() || c.dtype() == DType::kBF16);
  if (b.precision == Precision::kInt8) {
    assert(epilogue.sums == nullptr);
    if (b.left_multipliers.defined() && b.left_multipliers.numel() > 1) {
      MultiplyBlocks(a, b, epilogue, c);
    } else {
      Multiply(QuantizeRows(a, LeftMultiplier(b)), b, epilogue, c);
    }
    return;
  }
  const Tensor result = cpu::AsMatrix(c);
  const bool activates =
      epilogue.bias != nullptr || epilogue.activation != Activation::kNone;
  MultiplyInto(
      a, b, {c, epilogue.accumulate},
      [&](const MatrixBlock& block, Tensor* sums) {
        if (!activates && epilogue.dropout.rate == 0 &&
            epilogue.sums == nullptr) {
          return;
        }
        Tensor part = sums != nullptr ? *sums : BlockOf(result, block);
        Tensor bias =
            epilogue.bias == nullptr
                ? Tensor()
                : epilogue.bias->Reshape({c.cols()})
                      .Slice(block.column, block.column + block.columns);
        if (epilogue.sums != nullptr) {
          Activate(part, bias, Activation::kNone, part);
          Tensor kept = BlockOf(cpu::AsMatrix(*epilogue.sums), block);
          StoreFactor(part, kept);
          bias = Tensor();
        }
        if (activates) Activate(part, bias, epilogue.activation, part);
        if (epilogue.dropout.rate > 0) {
          DropPart(part, block.row, block.column, c.cols(), epilogue.dropout);
        }
      });
}

void MultiplyWithSlope(const Tensor& a, const PackedMatrix& b,
                       const SlopeEpilogue& epilogue, Tensor& c) {
  assert(a.cols() == b.k && c.cols() == b.n && c.shape() == epilogue.z.shape());
  assert(b.precision != Precision::kInt8);
  if (c.numel() == 0) return;
  const Tensor result = cpu::AsMatrix(c);
  const Tensor z = cpu::AsMatrix(epilogue.z);
  // Sums of rows of dbias by block, in an order that depends only on sizes.
  const int64_t unit =
      c.dtype() == DType::kF64
          ? c.rows()
          : BlockRows(c.rows(), b.n, b.precision == Precision::kBF16);
  Tensor rows;
  if (epilogue.dbias != nullptr) {
    rows = Tensor::Zeros({(c.rows() + unit - 1) / unit, c.cols()},
                         epilogue.dbias->dtype());
  }
  MultiplyInto(
      a, b, {.c = c, .beside = &z},
      [&](const MatrixBlock& block, Tensor* sums) {
        Tensor part = sums != nullptr ? *sums : BlockOf(result, block);
        if (epilogue.dropout.rate > 0) {
          DropPart(part, block.row, block.column, c.cols(), epilogue.dropout);
        }
        Tensor row;
        if (rows.defined()) {
          row =
              BlockOf(rows, {block.row / unit, 1, block.column, block.columns});
        }
        ActivateGradPart(part, BlockOf(z, block), epilogue.activation,
                         epilogue.scale, rows.defined() ? &row : nullptr);
      });
  if (epilogue.dbias != nullptr) ColumnSumTo(*epilogue.dbias, rows);
}

double MeasureProductRate(Precision precision, double seconds) {
  constexpr int64_t kSize = 512;
  constexpr int64_t kLong = 2048;
  const bool int8 = precision == Precision::kInt8;
  // int8 sums reach their full rate only for long sums.
  const int64_t rows = int8 ? kSize : kLong;
  const int64_t k = int8 ? kLong : kSize;
  const Tensor b = Tensor::Full({k, kSize}, 0.5);
  const bool bf16 = precision == Precision::kBF16;
  const Tensor a =
      Tensor::Full({rows, k}, 0.25, bf16 ? DType::kBF16 : DType::kF32);
  PackedMatrix packed;
  Pack(b, false, precision, packed);
  const QuantizedRows bytes = int8 ? QuantizeRows(a) : QuantizedRows();
  Tensor c({rows, kSize});
  const int64_t words = bf16 ? cpu::PairWords(k) : k;
  const auto run = [&] {
    if (int8) {
      Multiply(bytes, packed, {}, c);
    } else {
      cpu::RunRows(
          rows, packed, {c},
          [&](int64_t r, int64_t m) {
            return LeftFactor(a.Slice(r, r + m), words);
          },
          cpu::LeaveAsItIs);
    }
  };
  run();
  std::vector<double> times;
  const auto start = Clock::now();
  while (SecondsSince(start) < seconds) {
    const auto before = Clock::now();
    run();
    times.push_back(SecondsSince(before));
  }
  return 2.0 * kLong * kSize * kSize / Median(times);
}

}  // namespace heed::kernels
