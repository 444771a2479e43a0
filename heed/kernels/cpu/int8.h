// Products of int8 rows with packed columns, four products at a time.
//
// The packed matrix consists of panels of kPanel columns. A row of a panel has
// a word for each column: the bytes w + 128 of four successive rows of the
// matrix. Padding bytes have no effect, because the left operand is zero there.
#ifndef HEED_KERNELS_CPU_INT8_H_
#define HEED_KERNELS_CPU_INT8_H_

#include <cstdint>

namespace heed::kernels::cpu {

/// Offset that stores weights as unsigned bytes.
inline constexpr int32_t kWeightOffset = 128;

/// Rows of bytes, element (r, i) at values[r * stride + i].
struct Int8Rows {
  const int8_t* values;
  int64_t stride;
  const float* scales;
  const int32_t* sums;
};

/// Product c = f(c + a b + bias).
struct Int8Product {
  Int8Rows a;
  const uint8_t* b;
  const float* b_scales;  // of whole panels
  int64_t words;          // of a row of a
  int64_t n;
  const float* bias = nullptr;
  bool accumulate = false;
  bool relu = false;
  float* c = nullptr;  // rows of n
};

/// Part of a product: half-open ranges of rows and panels.
struct Int8Part {
  int64_t first_row, last_row;
  int64_t first_panel, last_panel;
};

/// Instructions for int8 products, best first.
enum class Int8Instructions : uint8_t { kTiles, kDot, kWidened };

/// Computes a part with instructions up to `best`. Results are equal for all.
void MultiplyInt8(const Int8Product& product, const Int8Part& part,
                  Int8Instructions best = Int8Instructions::kTiles);
/// MultiplyInt8 by AMX tiles; only where HasTiles().
void MultiplyInt8ByTiles(const Int8Product& product, const Int8Part& part);

struct QuantizedRow {
  float scale;
  int32_t sum;
};
/// Quantises one row, see quantize.h.
QuantizedRow QuantizeRow(const float* x, int64_t n, int8_t* values,
                         float multiplier = 0);

struct Int8Columns {
  int64_t rows;
  const float* x;
  int64_t x_stride;
  int8_t* values;
  int64_t values_stride;
  float* scales;
};
/// Quantises columns [begin, end), see quantize.h.
void QuantizeColumns(const Int8Columns& columns, int64_t begin, int64_t end);

/// Int8 matrix [k, n]: element (i, j) is values[i * n + j], or values[j * k +
/// i] if `transposed`. PackPanelInt8 packs one of its panels.
struct Int8Matrix {
  const int8_t* values;
  int64_t k;
  int64_t n;
  bool transposed;
};
void PackPanelInt8(const Int8Matrix& b, int64_t panel, uint8_t* out);

/// Inverse of PackPanelInt8: writes the elements of a panel to `values`, in the
/// layout of b; b.values is not read.
void UnpackPanelInt8(const uint8_t* packed, int64_t panel, const Int8Matrix& b,
                     int8_t* values);

/// out[i] = scale times row i of the packed column that starts at `column`.
void DequantizeColumn(const uint8_t* column, int64_t k, float scale,
                      float* out);

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_INT8_H_
