// Products of rows of signed bytes with packed columns, four products at a
// time.
//
// The packed matrix stands in panels of kPanel columns, one after the other. A
// row of a panel has a word for each column: the bytes w + 128 of four
// successive rows of the matrix. Bytes beside the matrix are never used: a
// left operand is zero there.
#ifndef HEED_KERNELS_CPU_INT8_H_
#define HEED_KERNELS_CPU_INT8_H_

#include <cstdint>

namespace heed::kernels::cpu {

/// What is added to weights to store them without a sign.
inline constexpr int32_t kWeightOffset = 128;

/// Rows of bytes, element (r, i) at values[r * stride + i].
struct Int8Rows {
  const int8_t* values;
  int64_t stride;
  const float* scales;
  const int32_t* sums;
};

/// c = f(c + a b + bias): what MultiplyInt8 does.
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

/// A part of a product: rows and panels from .. to before.
struct Int8Part {
  int64_t first_row, last_row;
  int64_t first_panel, last_panel;
};

/// The instructions that sum products of bytes, the best first.
enum class Int8Instructions : uint8_t { kTiles, kDot, kWidened };

/// Uses no better instructions than `best`. The result is the same.
void MultiplyInt8(const Int8Product& product, const Int8Part& part,
                  Int8Instructions best = Int8Instructions::kTiles);
/// The same, only where HasTiles().
void MultiplyInt8ByTiles(const Int8Product& product, const Int8Part& part);

struct QuantizedRow {
  float scale;
  int32_t sum;
};
/// One row, as quantize.h says.
QuantizedRow QuantizeRow(const float* x, int64_t n, int8_t* values);

struct Int8Columns {
  int64_t rows;
  const float* x;
  int64_t x_stride;
  int8_t* values;
  int64_t values_stride;
  float* scales;
};
/// Columns [begin, end) likewise.
void QuantizeColumns(const Int8Columns& columns, int64_t begin, int64_t end);

/// Packs panel `panel` of a matrix [k, n] whose element (i, j) is
/// values[i * n + j], or values[j * k + i] if `transposed`.
struct Int8Matrix {
  const int8_t* values;
  int64_t k;
  int64_t n;
  bool transposed;
};
void PackPanelInt8(const Int8Matrix& b, int64_t panel, uint8_t* out);

/// The inverse, of which b.values are not read: writes the elements of a
/// panel's columns into a matrix `values` of that kind.
void UnpackPanelInt8(const uint8_t* packed, int64_t panel, const Int8Matrix& b,
                     int8_t* values);

/// out[i] = scale times row i of a column, which starts at `column`.
void DequantizeColumn(const uint8_t* column, int64_t k, float scale,
                      float* out);

}  // namespace heed::kernels::cpu

#endif  // HEED_KERNELS_CPU_INT8_H_
