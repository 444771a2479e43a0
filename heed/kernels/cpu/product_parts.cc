#include "heed/kernels/cpu/product_parts.h"

#include <algorithm>

namespace heed::kernels::cpu {

int64_t ChunkRows(int64_t rows, int64_t n, bool bf16) {
  if (rows >= 1024 && n >= 4096) return 256;
  if (rows >= 1024 && bf16 && HasTiles()) return 128;
  return rows >= 512 ? 64 : 16;
}

void Reserve(int64_t rows, int64_t n, Precision precision, bool pairs,
             PackedMatrix& packed) {
  const int64_t size = Panels(n) * PaddedRows(rows, pairs) * kPanel;
  const DType dtype = pairs ? DType::kBF16 : DType::kF32;
  if (!packed.data.unique() || packed.data.dtype() != dtype ||
      packed.data.numel() != size) {
    packed.data = Tensor({size}, dtype);
  }
  packed.scales = Tensor();
  packed.k = rows;
  packed.n = n;
  packed.precision = precision;
}

void FetchBlock(const Tensor& x, const MatrixBlock& block, bool to_write) {
  constexpr int64_t kLineBytes = 64;
  const auto size = static_cast<int64_t>(SizeOf(x.dtype()));
  const auto* first = static_cast<const char*>(x.raw());
  for (int64_t r = block.row; r < block.row + block.rows; ++r) {
    const char* line = first + (r * x.row_stride() + block.column) * size;
    const char* end = line + block.columns * size;
    for (; line < end; line += kLineBytes) {
      if (to_write) {
        __builtin_prefetch(line, 1, 2);
      } else {
        __builtin_prefetch(line, 0, 2);
      }
    }
  }
}

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

}  // namespace heed::kernels::cpu
