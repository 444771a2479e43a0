// How products are divided, and their factors arranged.
#include "heed/kernels/gemm.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

#include "heed/base/threads.h"
#include "heed/base/timing.h"
#include "heed/kernels/cpu/attention_bf16.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/elementwise.h"

#if defined(__x86_64__)
#include "heed/kernels/cpu/onednn.h"
#endif

namespace heed::kernels {
namespace {

/// A left factor, and what keeps it alive.
struct LeftFactor {
  Tensor storage;
  cpu::LeftWords words;

  /// Dense rows of `storage`, of which each has so many words.
  LeftFactor(Tensor rows, int64_t row_words)
      : storage(std::move(rows)),
        words{static_cast<const float*>(storage.raw()), row_words, 1} {}
  LeftFactor(Tensor kept, const cpu::LeftWords& factor)
      : storage(std::move(kept)), words(factor) {}
};

/// Sizes of a product c [m, n] (+)= a [m, k] b.
struct Sizes {
  int64_t m, n, k;
  bool accumulate;
};

/// That product, with b packed.
void MultiplyPacked(const Sizes& size, bool bf16, const cpu::LeftWords& a,
                    const void* b, const cpu::Floats2D& c) {
  const auto multiply = bf16 ? cpu::MultiplyPanelsBF16 : cpu::MultiplyPanels;
  multiply(size.m, size.n, size.k, a, static_cast<const float*>(b),
           size.accumulate, c);
}

/// Rows of a chunk: large enough for the kernel's full rate, small enough that
/// both cores get several chunks of a decoder step's 64 rows. A wide result
/// leaves the cache anyway; more rows then share a reading of b. So they do
/// where tiles multiply faster than b is read.
int64_t ChunkRows(int64_t rows, int64_t n, bool bf16 = false) {
  if (rows >= 1024 && n >= 4096) return 256;
  if (rows >= 1024 && bf16 && cpu::HasTiles()) return 128;
  return rows >= 512 ? 64 : 16;
}

/// Words from row to row of a left factor in bf16: rows that are apart by a
/// multiple of 2 KB would be in the same sets of the first cache.
int64_t LeftRowWords(int64_t words) {
  constexpr int64_t kSame = 512;
  constexpr int64_t kLine = 16;
  return words % kSame == 0 ? words + kLine : words;
}

/// Of a panel of so many rows.
int64_t PanelBytes(int64_t rows, bool bf16) {
  const DType dtype = bf16 ? DType::kBF16 : DType::kF32;
  return cpu::PaddedRows(rows, bf16) * cpu::kPanel *
         static_cast<int64_t>(SizeOf(dtype));
}

/// From this many rows on a product is divided by rows.
constexpr int64_t kManyRows = 512;

/// The panels of a chunk of so many rows: enough work to be worth the
/// scheduler.
int64_t ChunkPanels(int64_t rows, int64_t k) {
  constexpr int64_t kProducts = int64_t{1} << 20;
  constexpr int64_t kLeastRows = 8;  // what reading b takes
  const int64_t products = cpu::kPanel * k * std::max(rows, kLeastRows);
  return std::max<int64_t>(1, kProducts / std::max<int64_t>(1, products));
}

/// c [rows, n] (+)= a [rows, k] b of few rows: the chunks of a panel, of which
/// there are few, follow one another, so that b is read once. left(first row,
/// rows) gives rows of a as a LeftFactor. After each chunk then(block).
template <typename Left, typename Then>
void RunPanels(int64_t rows, const PackedMatrix& b, bool accumulate, float* c,
               const Left& left, const Then& then) {
  const bool bf16 = b.precision == Precision::kBF16;
  const LeftFactor a = left(0, rows);
  const int64_t panel_bytes = PanelBytes(b.k, bf16);
  const auto* panels = static_cast<const char*>(b.data.raw());
  const int64_t unit = ChunkRows(b.n <= cpu::kPanel ? 0 : kManyRows, 0);
  const int64_t row_blocks = (rows + unit - 1) / unit;
  const int64_t group = ChunkPanels(std::min(rows, unit), b.k);
  const int64_t groups = (cpu::Panels(b.n) + group - 1) / group;
  ParallelForEach(row_blocks * groups, 1, [&](int64_t i) {
    const int64_t panel = i / row_blocks * group;
    const int64_t column = panel * cpu::kPanel;
    const int64_t r = i % row_blocks * unit;
    const MatrixBlock block{r, std::min(unit, rows - r), column,
                            std::min(group * cpu::kPanel, b.n - column)};
    MultiplyPacked({block.rows, block.columns, b.k, accumulate}, bf16,
                   a.words.Rows(r), panels + panel * panel_bytes,
                   {c + r * b.n + column, b.n});
    then(block);
  });
}

/// The same with some rows and all panels in each chunk; what left() computes
/// stays in the cache until it has been used.
template <typename Left, typename Then>
void RunRows(int64_t rows, const PackedMatrix& b, bool accumulate, float* c,
             const Left& left, const Then& then) {
  const bool bf16 = b.precision == Precision::kBF16;
  const int64_t chunk = ChunkRows(rows, b.n, bf16);
  ParallelFor(rows, chunk, [&](int64_t begin, int64_t end) {
    const int64_t m = end - begin;
    const LeftFactor a = left(begin, m);
    MultiplyPacked({m, b.n, b.k, accumulate}, bf16, a.words, b.data.raw(),
                   {c + begin * b.n, b.n});
    then(MatrixBlock{begin, m, 0, b.n});
  });
}

/// The one or the other.
template <typename Left, typename Then>
void RunChunks(int64_t rows, const PackedMatrix& b, bool accumulate, float* c,
               const Left& left, const Then& then) {
  if (rows < kManyRows) {
    RunPanels(rows, b, accumulate, c, left, then);
  } else {
    RunRows(rows, b, accumulate, c, left, then);
  }
}

/// Storage for a packed [rows, n] operand, reusing `packed` if it is large
/// enough and nobody else sees it.
void Reserve(int64_t rows, int64_t n, Precision precision,
             PackedMatrix& packed) {
  const bool bf16 = precision == Precision::kBF16;
  const int64_t size =
      cpu::Panels(n) * cpu::PaddedRows(rows, bf16) * cpu::kPanel;
  const DType dtype = bf16 ? DType::kBF16 : DType::kF32;
  if (!packed.data.unique() || packed.data.dtype() != dtype ||
      packed.data.numel() != size) {
    packed.data = Tensor({size}, dtype);
  }
  packed.scales = Tensor();
  packed.k = rows;
  packed.n = n;
  packed.precision = precision;
}

void PackPanelF32(const cpu::MatrixView& b, int64_t panel, int64_t rows,
                  bool bf16, void* out,
                  cpu::Writing writing = cpu::Writing::kCached) {
  if (bf16) {
    cpu::PackPanelBF16(b, panel, rows, static_cast<uint16_t*>(out), writing);
  } else {
    cpu::PackPanel(b, panel, rows, static_cast<float*>(out), writing);
  }
}

void PackF32(const cpu::MatrixView& b, int64_t rows, Precision precision,
             PackedMatrix& packed) {
  Reserve(rows, b.n, precision, packed);
  const bool bf16 = precision == Precision::kBF16;
  const int64_t panel_size = cpu::PaddedRows(rows, bf16) * cpu::kPanel;
  constexpr int64_t kGrain = 1 << 14;
  const int64_t grain = kGrain / std::max<int64_t>(1, panel_size);
  auto* data = static_cast<char*>(packed.data.raw());
  const int64_t bytes = PanelBytes(rows, bf16);
  ParallelForEach(
      cpu::Panels(b.n), std::max<int64_t>(1, grain),
      [&](int64_t p) { PackPanelF32(b, p, rows, bf16, data + p * bytes); });
}

/// f64 products serve gradient checks: plain loops in an order that fits the
/// cache.
void MultiplyF64(const Tensor& a, const Tensor& b, bool accumulate, Tensor& c) {
  const int64_t k = b.dim(0);
  const int64_t n = b.dim(1);
  ParallelForEach(c.rows(),
                  std::max<int64_t>(1, 32768 / std::max<int64_t>(1, k * n)),
                  [&](int64_t r) {
                    const double* x = a.row<double>(r);
                    double* y = c.data<double>() + r * n;
                    if (!accumulate) std::fill_n(y, n, 0.0);
                    for (int64_t i = 0; i < k; ++i) {
                      const double* row = b.data<double>() + i * n;
                      for (int64_t j = 0; j < n; ++j) y[j] += x[i] * row[j];
                    }
                  });
}

Tensor TransposedF64(const Tensor& b) {
  Tensor t({b.cols(), b.rows()}, DType::kF64);
  for (int64_t i = 0; i < b.rows(); ++i) {
    for (int64_t j = 0; j < b.cols(); ++j) {
      t.data<double>()[j * b.rows() + i] = b.row<double>(i)[j];
    }
  }
  return t;
}

/// Rows [r, r + rows) of x, f32.
LeftFactor RowsF32(const Tensor& x, int64_t r) {
  return {Tensor(), cpu::LeftWords{x.row<float>(r), x.row_stride(), 1}};
}

/// The same, rounded to bf16, with zeros behind them.
LeftFactor RowsBF16(const Tensor& x, int64_t r, int64_t rows) {
  const int64_t words = LeftRowWords(cpu::PaddedRows(x.cols(), true) / 2);
  Tensor rounded({rows, 2 * words}, DType::kBF16);
  auto* first = reinterpret_cast<uint16_t*>(rounded.data<bfloat16>());
  constexpr int64_t kGrain = 1 << 16;
  const int64_t grain = kGrain / std::max<int64_t>(1, words);
  ParallelForEach(rows, std::max<int64_t>(1, grain), [&](int64_t i) {
    uint16_t* to = first + i * 2 * words;
    cpu::RoundBF16(x.row<float>(r + i), x.cols(), to);
    std::fill(to + x.cols(), to + 2 * words, uint16_t{0});
  });
  return {std::move(rounded), words};
}

/// Rows of a weight gradient's sum that are done at once.
constexpr int64_t kSumRows = 1024;
constexpr int64_t kSumUnit = 64;

/// Whether xᵀ of x stays in its columns, which dot products of bf16 take as
/// they are. It pays where these are pairs.
bool InColumns(bool bf16) { return bf16 && !cpu::HasTiles(); }

/// xᵀ as the left factor of a sum over the rows of x, and zeros up to `rows`.
struct TransposedLeft {
  const Tensor& x;
  int64_t rows;
  bool bf16;

  /// Rows [begin, end) of it.
  LeftFactor Rows(int64_t begin, int64_t end) const {
    if (InColumns(bf16)) return ColumnsBF16(begin, end - begin);
    return bf16 ? RowsBF16(begin, end) : RowsF32(begin, end);
  }

 private:
  LeftFactor RowsF32(int64_t begin, int64_t end) const {
    Tensor t({end - begin, rows});
    cpu::TransposeRows(x.data<float>(), x.rows(), x.row_stride(), begin, end,
                       rows, t.data<float>());
    return {std::move(t), rows};
  }
  LeftFactor RowsBF16(int64_t begin, int64_t end) const {
    const int64_t words = LeftRowWords(cpu::PairWords(rows));
    Tensor t({end - begin, 2 * words}, DType::kBF16);
    cpu::TransposeRowsBF16(
        x.data<float>(), x.rows(), x.row_stride(), begin, end, rows,
        reinterpret_cast<uint16_t*>(t.data<bfloat16>()), 2 * words);
    return {std::move(t), words};
  }
  LeftFactor ColumnsBF16(int64_t begin, int64_t cols) const {
    const int64_t width =
        cpu::kBF16Lanes * ((cols + cpu::kBF16Lanes - 1) / cpu::kBF16Lanes);
    Tensor t({cpu::PairWords(x.rows()), width});
    cpu::PairRows(x.rows(), cols, x.data<float>() + begin, x.row_stride(), 1,
                  t.data<float>(), width);
    const cpu::LeftWords words{t.data<float>(), 1, width};
    return {std::move(t), words};
  }
};

/// So few panels make too few blocks for some threads.
constexpr int64_t kFewPanels = 4;
/// What of a wide right operand is packed and used at once, in bytes.
constexpr int64_t kWideBlock = 1 << 19;

/// c [m, b.n] (+)= left b. Columns of b are packed when their turn comes and
/// used from the cache.
void MultiplyWide(const TransposedLeft& left, const cpu::MatrixView& b,
                  bool accumulate, float* c) {
  const bool bf16 = left.bf16;
  const int64_t k = left.rows;
  const int64_t m = left.x.cols();
  const int64_t chunk = ChunkRows(kManyRows, 0);
  std::vector<std::optional<LeftFactor>> factors(
      static_cast<size_t>((m + chunk - 1) / chunk));
  ParallelForEach(std::ssize(factors), 1, [&](int64_t i) {
    factors[static_cast<size_t>(i)].emplace(
        left.Rows(i * chunk, std::min(m, (i + 1) * chunk)));
  });
  const DType dtype = bf16 ? DType::kBF16 : DType::kF32;
  const int64_t panel_size = cpu::PaddedRows(k, bf16) * cpu::kPanel;
  const int64_t panel_bytes = PanelBytes(k, bf16);
  constexpr int64_t kChunks = 8;  // so that there are enough for some threads
  const int64_t block = std::max<int64_t>(
      1, std::min(kWideBlock / panel_bytes, cpu::Panels(b.n) / kChunks));
  ParallelFor(cpu::Panels(b.n), block, [&](int64_t begin, int64_t end) {
    const int64_t panels = end - begin;
    Tensor packed({panels * panel_size}, dtype);
    auto* to = static_cast<char*>(packed.raw());
    for (int64_t i = 0; i < panels; ++i) {
      PackPanelF32(b, begin + i, k, bf16, to + i * panel_bytes);
    }
    const int64_t first = begin * cpu::kPanel;
    const int64_t n = std::min(panels * cpu::kPanel, b.n - first);
    for (int64_t r = 0; r < m; r += chunk) {
      MultiplyPacked({std::min(chunk, m - r), n, k, accumulate}, bf16,
                     factors[static_cast<size_t>(r / chunk)]->words, to,
                     {c + r * b.n + first, b.n});
    }
  });
}

/// Bytes of a result that stays in the second cache with what is summed.
constexpr int64_t kNarrowBytes = 1 << 18;

/// Whether MultiplyNarrow is best for xᵀ b.
bool IsNarrow(const Tensor& x, const cpu::MatrixView& b) {
  const int64_t numbers = x.cols() * b.n;
  return b.n % cpu::kPanel == 0 &&
         numbers * static_cast<int64_t>(sizeof(float)) <= kNarrowBytes;
}

/// c [x.cols, b.n] (+)= xᵀ b in f32. Both halves of the rows are summed apart,
/// so that of two cores neither reads what the other one wrote.
void MultiplyNarrow(const Tensor& x, const cpu::MatrixView& b, bool accumulate,
                    Tensor& c) {
  const int64_t m = x.cols();
  const int64_t half = (b.k + 2 * kSumUnit - 1) / (2 * kSumUnit) * kSumUnit;
  const int64_t halves = b.k > half ? 2 : 1;
  // All of b is copied for each chunk; some cores shall get one.
  const int64_t chunk = m < 256 ? 64 : 128;
  const int64_t chunks = (m + chunk - 1) / chunk;
  Tensor second = halves == 2 ? Tensor({m, b.n}) : Tensor();
  ParallelForEach(halves * chunks, 1, [&](int64_t i) {
    const bool later = i >= chunks;
    const int64_t row = later ? half : 0;
    const int64_t rows = later ? b.k - half : std::min(half, b.k);
    const int64_t column = i % chunks * chunk;
    const int64_t columns = std::min(chunk, m - column);
    Tensor scratch({cpu::OuterScratch(columns, b.n)});
    cpu::SumOuterProducts(
        {x.row<float>(row) + column, rows, columns, x.row_stride(), false},
        {b.data + row * b.stride, rows, b.n, b.stride, false},
        accumulate && !later, scratch.data<float>(),
        {(later ? second : c).row<float>(column), b.n});
  });
  if (halves == 2) AddTo(c, second);
}

/// Of so many rows that are left, how many are summed at once, zeros behind
/// them included: whole vectors for TransposeRows.
int64_t SumRows(int64_t left, bool bf16) {
  const int64_t units = (left + kSumUnit - 1) / kSumUnit;
  return std::min(InColumns(bf16) ? left : units * kSumUnit, kSumRows);
}

Precision Supported(Precision precision) {
  static const bool bf16 = HasBF16();
  return precision == Precision::kBF16 && !bf16 ? Precision::kNative
                                                : precision;
}

Tensor AsMatrix(const Tensor& x) { return x.Reshape({x.rows(), x.cols()}); }

}  // namespace

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
    packed = {transpose ? TransposedF64(b) : b.Clone(), Tensor(),
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
  PackF32({b.data<float>(), k, n, b.row_stride(), transpose}, k,
          Supported(precision), packed);
}

void PackBlock(const Tensor& b, const MatrixBlock& block,
               const PackedForms& forms) {
  assert(block.row % cpu::kPanel == 0 && block.column % cpu::kPanel == 0);
  // The panels of columns [column, column + columns) of a factor, from `row`
  // on, with the rows of `view`.
  const auto pack = [](const cpu::MatrixView& view, int64_t row, int64_t column,
                       int64_t columns, PackedMatrix& to) {
    const bool bf16 = to.precision == Precision::kBF16;
    const int64_t panel_bytes = PanelBytes(to.k, bf16);
    // Before their next use what is larger would leave the caches anyway.
    constexpr int64_t kCached = 1 << 18;
    const auto writing = cpu::Panels(to.n) * panel_bytes > kCached
                             ? cpu::Writing::kStream
                             : cpu::Writing::kCached;
    auto* data = static_cast<char*>(to.data.raw()) + PanelBytes(row, bf16);
    const int64_t first = column / cpu::kPanel;
    for (int64_t p = first; p < first + cpu::Panels(columns); ++p) {
      PackPanelF32(view, p, view.k, bf16, data + p * panel_bytes, writing);
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
  // Without columns a has no rows to count.
  assert((b.k == 0 || a.rows() == c.rows()) && c.contiguous());
  if (b.precision == Precision::kInt8) {
    Multiply(QuantizeRows(a), b, epilogue, c);
    return;
  }
  const Tensor result = AsMatrix(c);
  const bool activates =
      epilogue.bias != nullptr || epilogue.activation != Activation::kNone;
  const auto finish = [&](const MatrixBlock& block) {
    if (!activates && epilogue.dropout.rate == 0) return;
    const int64_t end = block.column + block.columns;
    Tensor part = result.Slice(block.row, block.row + block.rows)
                      .Columns(block.column, end);
    if (activates) {
      Activate(
          part,
          epilogue.bias == nullptr
              ? Tensor()
              : epilogue.bias->Reshape({c.cols()}).Slice(block.column, end),
          epilogue.activation, part);
    }
    if (epilogue.dropout.rate > 0) {
      DropPart(part, block.row, block.column, c.cols(), epilogue.dropout);
    }
  };
  if (a.dtype() == DType::kF64) {
    MultiplyF64(a, b.data, epilogue.accumulate, c);
    finish(MatrixBlock{0, c.rows(), 0, c.cols()});
    return;
  }
  if (b.precision == Precision::kBF16) {
    RunChunks(
        c.rows(), b, epilogue.accumulate, c.data<float>(),
        [&](int64_t r, int64_t m) { return RowsBF16(a, r, m); }, finish);
    return;
  }
  RunChunks(
      c.rows(), b, epilogue.accumulate, c.data<float>(),
      [&](int64_t r, int64_t) { return RowsF32(a, r); }, finish);
}

void MultiplyTransposed(const Tensor& x, const Tensor& y, bool accumulate,
                        Precision precision, Tensor& c) {
  assert(x.rows() == y.rows() && c.rows() == x.cols() && c.cols() == y.cols());
  if (x.rows() == 0) {
    if (!accumulate) c.Fill(0);
    return;
  }
  if (x.dtype() == DType::kF64) {
    MultiplyF64(TransposedF64(x), AsMatrix(y.Contiguous()), accumulate, c);
    return;
  }
  precision =
      precision == Precision::kInt8 ? Precision::kNative : Supported(precision);
  const Tensor xs = AsMatrix(x);
  const Tensor ys = AsMatrix(y);
  const bool bf16 = precision == Precision::kBF16;
  PackedMatrix packed;
  for (int64_t r = 0; r < x.rows();) {
    const int64_t rows = SumRows(x.rows() - r, bf16);
    const int64_t end = std::min(x.rows(), r + rows);
    const Tensor x_part = xs.Slice(r, end);
    const TransposedLeft a{x_part, rows, bf16};
    const Tensor part = ys.Slice(r, end);
    const cpu::MatrixView b{part.data<float>(), part.rows(), part.cols(),
                            part.row_stride(), false};
    const bool add = accumulate || r > 0;
    if (!bf16 && IsNarrow(x_part, b)) {
      MultiplyNarrow(x_part, b, add, c);
    } else if (b.n > kFewPanels * cpu::kPanel && b.n >= x.cols()) {
      MultiplyWide(a, b, add, c.data<float>());
    } else {
      PackF32(b, rows, precision, packed);
      RunRows(
          x.cols(), packed, add, c.data<float>(),
          [&](int64_t i, int64_t m) { return a.Rows(i, i + m); },
          [](const MatrixBlock&) {});
    }
    r = end;
  }
}

double MeasureProductRate(Precision precision, double seconds) {
  constexpr int64_t kSize = 512;
  constexpr int64_t kLong = 2048;
  const bool int8 = precision == Precision::kInt8;
  // Sums of bytes reach their full rate only over many products.
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
      RunRows(
          rows, packed, false, c.data<float>(),
          [&](int64_t r, int64_t m) {
            return LeftFactor(a.Slice(r, r + m), words);
          },
          [](const MatrixBlock&) {});
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
