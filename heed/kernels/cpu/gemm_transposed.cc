// Gradients of weights: sums of outer products over rows.
#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/cpu/product_parts.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gemm.h"

namespace heed::kernels {
namespace {

using cpu::LeftFactor;

/// Number of rows summed at once.
constexpr int64_t kSumRows = 1024;
constexpr int64_t kSumUnit = 64;

/// True if xᵀ is read from the columns of x, which bf16 dot products accept
/// directly, as columns hold pairs.
bool InColumns(bool bf16) { return bf16 && !cpu::HasTiles(); }

/// Rows that are summed together, from several tensors; each but the last has a
/// multiple of kSumUnit rows.
class SummedRows {
 public:
  explicit SummedRows(bool bf16) : bf16_(bf16) {}

  /// Appends rows [begin, end) of `pair`.
  void Add(const RowPair& pair, int64_t begin, int64_t end) {
    parts_.push_back({pair.x.Slice(begin, end), pair.y.Slice(begin, end)});
    rows_ += end - begin;
  }

  bool bf16() const { return bf16_; }
  const std::vector<RowPair>& parts() const { return parts_; }
  const RowPair& only() const {
    assert(parts_.size() == 1);
    return parts_[0];
  }
  int64_t m() const { return parts_[0].x.cols(); }
  int64_t n() const { return parts_[0].y.cols(); }
  /// Number of rows with zero padding: whole vectors for TransposeRows.
  int64_t rows() const {
    return InColumns(bf16_) ? rows_
                            : (rows_ + kSumUnit - 1) / kSumUnit * kSumUnit;
  }

  /// Columns [begin, end) of x, transposed to a left factor and padded with
  /// zeros to rows().
  LeftFactor Left(int64_t begin, int64_t end) const {
    if (InColumns(bf16_)) return LeftColumns(begin, end - begin);
    return bf16_ ? LeftBF16(begin, end) : LeftF32(begin, end);
  }

  /// Packs a panel of y as a right factor.
  void PackPanel(int64_t panel, void* out) const {
    const int64_t element = bf16_ ? 2 : sizeof(float);
    ForParts([&](const RowPair& part, int64_t first, int64_t padded) {
      void* to = static_cast<char*>(out) + first * cpu::kPanel * element;
      cpu::WithNumbers(part.y, [&]<typename T>(const T* numbers) {
        cpu::PackAnyPanel(
            cpu::MatrixOf<T>{numbers, part.y.rows(), part.y.cols(),
                             part.y.row_stride(), false},
            panel, padded, bf16_, to);
      });
    });
  }

 private:
  /// Calls body(part, first row, number of rows with zero padding).
  template <typename Body>
  void ForParts(const Body& body) const {
    int64_t first = 0;
    for (const RowPair& part : parts_) {
      const bool last = &part == &parts_.back();
      body(part, first, last ? rows() - first : part.x.rows());
      first += part.x.rows();
    }
  }

  LeftFactor LeftF32(int64_t begin, int64_t end) const {
    Tensor t({end - begin, rows()});
    ForParts([&](const RowPair& part, int64_t first, int64_t padded) {
      cpu::TransposeRows(part.x.data<float>(), part.x.rows(),
                         part.x.row_stride(), begin, end, padded,
                         t.data<float>() + first, rows());
    });
    return {std::move(t), rows()};
  }
  LeftFactor LeftBF16(int64_t begin, int64_t end) const {
    const int64_t words = cpu::LeftRowWords(cpu::PairWords(rows()));
    Tensor t({end - begin, 2 * words}, DType::kBF16);
    ForParts([&](const RowPair& part, int64_t first, int64_t padded) {
      cpu::WithNumbers(part.x, [&](const auto* numbers) {
        cpu::TransposeRowsBF16(numbers, part.x.rows(), part.x.row_stride(),
                               begin, end, padded, cpu::Bits(t, 0) + first,
                               2 * words);
      });
    });
    return {std::move(t), words};
  }
  LeftFactor LeftColumns(int64_t begin, int64_t cols) const {
    const int64_t width =
        cpu::kBF16Lanes * ((cols + cpu::kBF16Lanes - 1) / cpu::kBF16Lanes);
    Tensor t({cpu::PairWords(rows()), width});
    ForParts([&](const RowPair& part, int64_t first, int64_t) {
      float* to = t.row<float>(first / 2);
      const Tensor& x = part.x;
      if (x.dtype() == DType::kBF16) {
        cpu::PairRowsOfBF16(x.rows(), cols, cpu::Bits(x, 0) + begin,
                            x.row_stride(), to, width);
      } else {
        cpu::PairRows(x.rows(), cols, x.data<float>() + begin, x.row_stride(),
                      1, to, width);
      }
    });
    const cpu::LeftWords words{t.data<float>(), 1, width};
    return {std::move(t), words};
  }

  bool bf16_;
  std::vector<RowPair> parts_;
  int64_t rows_ = 0;
};

/// With this few panels there are too few blocks for several threads.
constexpr int64_t kFewPanels = 4;
/// Bytes of a wide right operand that are packed and used at once.
constexpr int64_t kWideBlock = 1 << 19;

/// c (+)= xᵀ y. Each block of columns of y is packed and used from the cache.
void MultiplyWide(const SummedRows& sum, bool accumulate, Tensor& c) {
  const bool bf16 = sum.bf16();
  const int64_t k = sum.rows();
  const int64_t m = sum.m();
  const int64_t n = sum.n();
  const int64_t chunk = cpu::ChunkRows(cpu::kManyRows, 0);
  std::vector<std::optional<LeftFactor>> factors(
      static_cast<size_t>((m + chunk - 1) / chunk));
  ParallelForEach(std::ssize(factors), 1, [&](int64_t i) {
    At(factors, i).emplace(sum.Left(i * chunk, std::min(m, (i + 1) * chunk)));
  });
  const DType dtype = bf16 ? DType::kBF16 : DType::kF32;
  const int64_t panel_size = cpu::PaddedRows(k, bf16) * cpu::kPanel;
  const int64_t panel_bytes = cpu::PanelBytes(k, bf16);
  constexpr int64_t kChunks = 8;  // enough for several threads
  const int64_t block = std::max<int64_t>(
      1, std::min(kWideBlock / panel_bytes, cpu::Panels(n) / kChunks));
  ParallelFor(cpu::Panels(n), block, [&](int64_t begin, int64_t end) {
    const int64_t panels = end - begin;
    Tensor packed({panels * panel_size}, dtype);
    auto* to = static_cast<char*>(packed.raw());
    for (int64_t i = 0; i < panels; ++i) {
      sum.PackPanel(begin + i, to + i * panel_bytes);
    }
    const int64_t first = begin * cpu::kPanel;
    const int64_t columns = std::min(panels * cpu::kPanel, n - first);
    for (int64_t r = 0; r < m; r += chunk) {
      cpu::MultiplyPacked({std::min(chunk, m - r), columns, k, accumulate},
                          bf16, At(factors, r / chunk)->words, to,
                          {c.row<float>(r) + first, n});
    }
  });
}

/// c (+)= xᵀ y with all panels of y packed first.
void MultiplyByAll(const SummedRows& sum, bool accumulate, PackedMatrix& packed,
                   Tensor& c) {
  cpu::PackPanels(
      sum.rows(), sum.n(), sum.bf16() ? Precision::kBF16 : Precision::kNative,
      sum.bf16(), packed, [&](int64_t p, void* out) { sum.PackPanel(p, out); });
  cpu::RunRows(
      sum.m(), packed, {c, accumulate},
      [&](int64_t i, int64_t rows) { return sum.Left(i, i + rows); },
      cpu::LeaveAsItIs);
}

/// Maximum size of a result that stays in the L2 cache with its factors.
constexpr int64_t kNarrowBytes = 1 << 18;

/// True if MultiplyNarrow is the fastest way to compute a gradient.
bool IsNarrow(const Tensor& c) {
  return c.dtype() == DType::kF32 && c.cols() % cpu::kPanel == 0 &&
         c.bytes() <= kNarrowBytes;
}

/// c (+)= xᵀ y in f32. Both halves of the rows are summed separately, so that
/// no core reads data that another core wrote.
void MultiplyNarrow(const RowPair& pair, bool accumulate, Tensor& c) {
  const auto& [x, y] = pair;
  const int64_t k = x.rows();
  const int64_t m = x.cols();
  const int64_t n = y.cols();
  const int64_t half = (k + 2 * kSumUnit - 1) / (2 * kSumUnit) * kSumUnit;
  const int64_t halves = k > half ? 2 : 1;
  // Each chunk copies all of y, so there are only as many chunks as cores need.
  const int64_t chunk = m < 256 ? 64 : 128;
  const int64_t chunks = (m + chunk - 1) / chunk;
  Tensor second = halves == 2 ? Tensor({m, n}) : Tensor();
  ParallelForEach(halves * chunks, 1, [&](int64_t i) {
    const bool later = i >= chunks;
    const int64_t row = later ? half : 0;
    const int64_t rows = later ? k - half : std::min(half, k);
    const int64_t column = i % chunks * chunk;
    const int64_t columns = std::min(chunk, m - column);
    Tensor scratch({cpu::OuterScratch(columns, n)});
    cpu::SumOuterProducts(
        {pair.x.row<float>(row) + column, rows, columns, pair.x.row_stride(),
         false},
        {pair.y.row<float>(row), rows, n, pair.y.row_stride(), false},
        accumulate && !later, scratch.data<float>(),
        {(later ? second : c).row<float>(column), n});
  });
  if (halves == 2) AddTo(c, second);
}

/// Concatenates the rows of all pairs.
RowPair Gathered(std::span<const RowPair> pairs, Precision precision) {
  int64_t rows = 0;
  std::vector<int64_t> first;
  for (const RowPair& pair : pairs) {
    first.push_back(rows);
    rows += pair.x.rows();
  }
  const auto stored = [&](const Tensor& like) {
    return Tensor({rows, like.cols()}, StoredDType(precision, like.dtype()));
  };
  RowPair all{stored(pairs[0].x), stored(pairs[0].y)};
  ParallelForEach(std::ssize(pairs), 1, [&](int64_t i) {
    const RowPair& pair = At(pairs, i);
    const int64_t begin = At(first, i);
    Tensor x = all.x.Slice(begin, begin + pair.x.rows());
    StoreFactor(pair.x, x);
    Tensor y = all.y.Slice(begin, begin + pair.x.rows());
    StoreFactor(pair.y, y);
  });
  return all;
}

/// True if all pairs but the last have whole units of rows and need no copy.
bool AreWholeUnits(std::span<const RowPair> pairs) {
  return std::all_of(pairs.begin(), pairs.end() - 1, [](const RowPair& pair) {
    return pair.x.rows() % kSumUnit == 0;
  });
}

}  // namespace

void MultiplyTransposed(const Tensor& x, const Tensor& y, bool accumulate,
                        Precision precision, Tensor& c) {
  const RowPair pair{cpu::AsMatrix(x), cpu::AsMatrix(y)};
  MultiplyTransposed(std::span(&pair, 1), accumulate, precision, c);
}

void MultiplyTransposed(std::span<const RowPair> pairs, bool accumulate,
                        Precision precision, Tensor& c) {
  precision = precision == Precision::kInt8 ? Precision::kNative
                                            : cpu::Supported(precision);
  const bool bf16 = precision == Precision::kBF16;
  const bool narrow = !bf16 && IsNarrow(c);
  if (pairs.size() > 1 &&
      (narrow || c.dtype() == DType::kF64 || !AreWholeUnits(pairs))) {
    const RowPair all = Gathered(pairs, precision);
    MultiplyTransposed(std::span(&all, 1), accumulate, precision, c);
    return;
  }
  bool add = accumulate;
  PackedMatrix packed;
  size_t next = 0;
  int64_t row = 0;  // of the next pair
  while (next < pairs.size()) {
    SummedRows sum(bf16);
    for (int64_t left = kSumRows; left > 0 && next < pairs.size();) {
      const RowPair& pair = pairs[next];
      assert(pair.x.rows() == pair.y.rows());
      assert(c.rows() == pair.x.cols() && c.cols() == pair.y.cols());
      const int64_t end = std::min(pair.x.rows(), row + left);
      if (end > row) sum.Add(pair, row, end);
      left -= end - row;
      row = end;
      if (end < pair.x.rows()) continue;
      ++next;
      row = 0;
    }
    if (sum.parts().empty()) break;
    if (c.dtype() == DType::kF64) {
      cpu::MultiplyF64(cpu::TransposedF64(sum.only().x),
                       sum.only().y.Contiguous(), add, c);
    } else if (narrow) {
      MultiplyNarrow(sum.only(), add, c);
    } else if (sum.n() > kFewPanels * cpu::kPanel && sum.n() >= sum.m()) {
      MultiplyWide(sum, add, c);
    } else {
      MultiplyByAll(sum, add, packed, c);
    }
    add = true;
  }
  if (!add) c.Fill(0);
}

}  // namespace heed::kernels
