#include "heed/kernels/quantize.h"

#include <algorithm>
#include <cassert>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/int8.h"
#include "heed/kernels/cpu/pack.h"

namespace heed::kernels {
namespace {

/// Elements per chunk of a parallel loop.
constexpr int64_t kChunk = 65536;

int64_t Grain(int64_t elements) {
  return std::max<int64_t>(1, kChunk / std::max<int64_t>(1, elements));
}

using cpu::kWordBytes;
constexpr uint8_t kSign = 0x80;  // w ^ kSign is w + 128

/// out = scales[j] values[j], or scale values[j] if `scales` is null.
void DequantizeRow(const int8_t* values, float scale, const float* scales,
                   int64_t n, float* out) {
  if (scales == nullptr) {
    for (int64_t j = 0; j < n; ++j) {
      out[j] = scale * static_cast<float>(values[j]);
    }
  } else {
    for (int64_t j = 0; j < n; ++j) {
      out[j] = scales[j] * static_cast<float>(values[j]);
    }
  }
}

}  // namespace

QuantizedRows QuantizeRows(const Tensor& x, float multiplier) {
  const int64_t rows = x.rows();
  const int64_t k = x.cols();
  const int64_t stride = (k + kWordBytes - 1) / kWordBytes * kWordBytes;
  QuantizedRows q = {Tensor({rows, stride}, DType::kI8), Tensor({rows}),
                     Tensor({rows}, DType::kI32), k};
  ParallelForEach(rows, Grain(k), [&](int64_t r) {
    int8_t* values = q.values.row<int8_t>(r);
    const cpu::QuantizedRow row =
        cpu::QuantizeRow(x.row<float>(r), k, values, multiplier);
    std::fill(values + k, values + stride, int8_t{0});
    q.scales.data<float>()[r] = row.scale;
    q.sums.data<int32_t>()[r] = row.sum;
  });
  return q;
}

QuantizedMatrix Quantize(const Tensor& w, bool by_row) {
  assert(w.rank() == 2);
  const int64_t rows = w.rows();
  const int64_t cols = w.cols();
  QuantizedMatrix q = {Tensor(w.shape(), DType::kI8),
                       Tensor({by_row ? rows : cols}), by_row};
  float* scales = q.scales.data<float>();
  auto* values = q.values.data<int8_t>();
  if (by_row) {
    ParallelForEach(rows, Grain(cols), [&](int64_t r) {
      scales[r] =
          cpu::QuantizeRow(w.row<float>(r), cols, values + r * cols).scale;
    });
  } else {
    const cpu::Int8Columns columns = {
        rows, w.data<float>(), w.row_stride(), values, cols, scales};
    ParallelFor(cols, cpu::kPanel, [&](int64_t begin, int64_t end) {
      cpu::QuantizeColumns(columns, begin, end);
    });
  }
  return q;
}

Tensor Dequantize(const QuantizedMatrix& w) {
  const int64_t cols = w.values.cols();
  Tensor x(w.values.shape());
  const float* scales = w.scales.data<float>();
  ParallelForEach(x.rows(), Grain(cols), [&](int64_t r) {
    DequantizeRow(w.values.row<int8_t>(r), w.by_row ? scales[r] : 0,
                  w.by_row ? nullptr : scales, cols, x.row<float>(r));
  });
  return x;
}

Tensor GatherRows(const QuantizedMatrix& w, const Tensor& ids) {
  assert(w.by_row && ids.contiguous());
  Shape shape = ids.shape();
  shape.Append(w.values.cols());
  Tensor y(shape);
  const int32_t* id = ids.data<int32_t>();
  const float* scales = w.scales.data<float>();
  ParallelForEach(ids.numel(), Grain(y.cols()), [&](int64_t i) {
    assert(id[i] >= 0 && id[i] < w.values.rows());
    DequantizeRow(w.values.row<int8_t>(id[i]), scales[id[i]], nullptr, y.cols(),
                  y.row<float>(i));
  });
  return y;
}

namespace cpu {
namespace {

/// Location of a panel's columns in a matrix and of its words.
struct PanelPlace {
  int64_t first, columns;  // in the matrix
  int64_t words;           // of a column
  int64_t row, column;     // strides in the matrix

  PanelPlace(const Int8Matrix& b, int64_t panel)
      : first(panel * kPanel),
        columns(std::min(kPanel, b.n - first)),
        words((b.k + kWordBytes - 1) / kWordBytes),
        row(b.transposed ? 1 : b.n),
        column(b.transposed ? b.k : 1) {}

  /// Calls f for word i of column c, in the memory order of the matrix.
  template <typename F>
  void ForEachWord(bool transposed, const F& f) const {
    if (transposed) {
      for (int64_t c = 0; c < columns; ++c) {
        for (int64_t i = 0; i < words; ++i) f(i, c);
      }
    } else {
      for (int64_t i = 0; i < words; ++i) {
        for (int64_t c = 0; c < columns; ++c) f(i, c);
      }
    }
  }
};

}  // namespace

void PackPanelInt8(const Int8Matrix& b, int64_t panel, uint8_t* out) {
  const PanelPlace place(b, panel);
  std::fill_n(out, place.words * kPanel * kWordBytes, kSign);
  place.ForEachWord(b.transposed, [&](int64_t i, int64_t c) {
    const int8_t* from = b.values + i * kWordBytes * place.row +
                         (place.first + c) * place.column;
    const int64_t rows = std::min(kWordBytes, b.k - i * kWordBytes);
    uint8_t* to = out + (i * kPanel + c) * kWordBytes;
    for (int64_t r = 0; r < rows; ++r) {
      to[r] = static_cast<uint8_t>(from[r * place.row]) ^ kSign;
    }
  });
}

void UnpackPanelInt8(const uint8_t* packed, int64_t panel, const Int8Matrix& b,
                     int8_t* values) {
  const PanelPlace place(b, panel);
  place.ForEachWord(b.transposed, [&](int64_t i, int64_t c) {
    int8_t* to =
        values + i * kWordBytes * place.row + (place.first + c) * place.column;
    const int64_t rows = std::min(kWordBytes, b.k - i * kWordBytes);
    const uint8_t* from = packed + (i * kPanel + c) * kWordBytes;
    for (int64_t r = 0; r < rows; ++r) {
      to[r * place.row] = static_cast<int8_t>(from[r] ^ kSign);
    }
  });
}

void DequantizeColumn(const uint8_t* column, int64_t k, float scale,
                      float* out) {
  const int64_t whole = k / kWordBytes * kWordBytes;
  for (int64_t i = 0; i < whole;
       i += kWordBytes, column += kPanel * kWordBytes) {
    for (int64_t r = 0; r < kWordBytes; ++r) {
      out[i + r] =
          scale * static_cast<float>(static_cast<int8_t>(column[r] ^ kSign));
    }
  }
  for (int64_t i = whole; i < k; ++i) {
    out[i] = scale *
             static_cast<float>(static_cast<int8_t>(column[i - whole] ^ kSign));
  }
}

}  // namespace cpu
}  // namespace heed::kernels
