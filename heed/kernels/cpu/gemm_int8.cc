// Products of int8: packing and division of work. Look-up of packed columns.
#include <algorithm>
#include <bit>
#include <cassert>

#include "heed/base/threads.h"
#include "heed/kernels/cpu/int8.h"
#include "heed/kernels/cpu/pack.h"
#include "heed/kernels/cpu/pairs.h"
#include "heed/kernels/cpu/product_parts.h"
#include "heed/kernels/gemm.h"

namespace heed::kernels {
namespace {

using cpu::kWordBytes;

int64_t Words(int64_t k) { return (k + kWordBytes - 1) / kWordBytes; }

/// Division of a product, which depends only on its sizes.
struct Division {
  int64_t rows;    // of a part
  int64_t panels;  // of a part

  Division(int64_t m, int64_t k, int64_t n) {
    // Rows that fit into the cache beside a panel, in whole tiles of 6 or 16.
    constexpr int64_t kCacheBytes = int64_t{256} << 10;
    constexpr int64_t kTile = 48;
    const int64_t max = std::max<int64_t>(kTile, kCacheBytes / k);
    const int64_t blocks = (m + max - 1) / max;
    rows = ((m + blocks - 1) / blocks + kTile - 1) / kTile * kTile;
    // Panels that take about 10 us, to multiply or to read.
    constexpr int64_t kPartProducts = int64_t{1} << 22;
    constexpr int64_t kPartBytes = int64_t{1} << 17;
    const int64_t panel = cpu::kPanel * k;
    panels = std::min(kPartProducts / (std::min(m, rows) * panel),
                      kPartBytes / panel);
    panels = std::clamp<int64_t>(panels, 1, cpu::Panels(n));
  }
};

}  // namespace

void Pack(const QuantizedMatrix& b, bool transpose, PackedMatrix& packed) {
  if (b.by_row != transpose) {
    Pack(Dequantize(b), transpose, Precision::kInt8, packed);
    return;
  }
  const int64_t k = transpose ? b.values.cols() : b.values.rows();
  const int64_t n = transpose ? b.values.rows() : b.values.cols();
  const int64_t panel_bytes = Words(k) * cpu::kPanel * kWordBytes;
  PackedMatrix result = {Tensor({cpu::Panels(n) * panel_bytes}, DType::kU8),
                         Tensor::Zeros({cpu::Panels(n) * cpu::kPanel}), k, n,
                         Precision::kInt8};
  result.scales.Slice(0, n).CopyFrom(b.scales);
  const cpu::Int8Matrix matrix = {b.values.data<int8_t>(), k, n, transpose};
  ParallelForEach(cpu::Panels(n), 1, [&](int64_t p) {
    cpu::PackPanelInt8(matrix, p,
                       result.data.data<uint8_t>() + p * panel_bytes);
  });
  packed = std::move(result);
}

Tensor UnpackInt8(const PackedMatrix& packed, bool transpose) {
  assert(packed.precision == Precision::kInt8);
  const int64_t k = packed.k;
  const int64_t n = packed.n;
  Tensor values(transpose ? Shape{n, k} : Shape{k, n}, DType::kI8);
  const cpu::Int8Matrix matrix = {nullptr, k, n, transpose};
  const int64_t panel_bytes = Words(k) * cpu::kPanel * kWordBytes;
  ParallelForEach(cpu::Panels(n), 1, [&](int64_t p) {
    cpu::UnpackPanelInt8(packed.data.data<uint8_t>() + p * panel_bytes, p,
                         matrix, values.data<int8_t>());
  });
  return values;
}

Tensor GatherColumns(const PackedMatrix& b, const Tensor& ids) {
  assert(b.data.dtype() != DType::kF64 && ids.contiguous());
  Shape shape = ids.shape();
  shape.Append(b.k);
  Tensor y(shape);
  const int32_t* id = ids.data<int32_t>();
  const int64_t panel_bytes = b.data.bytes() / cpu::Panels(b.n);
  constexpr int64_t kChunk = 65536;
  ParallelForEach(
      ids.numel(), std::max<int64_t>(1, kChunk / b.k), [&](int64_t i) {
        assert(id[i] >= 0 && id[i] < b.n);
        const uint8_t* column = static_cast<const uint8_t*>(b.data.raw()) +
                                id[i] / cpu::kPanel * panel_bytes +
                                id[i] % cpu::kPanel * kWordBytes;
        float* to = y.data<float>() + i * b.k;
        const auto* words = reinterpret_cast<const uint32_t*>(column);
        if (b.precision == Precision::kInt8) {
          cpu::DequantizeColumn(column, b.k, b.scales.data<float>()[id[i]], to);
        } else if (cpu::InPairs(b)) {
          cpu::WidenColumn(words, b.k, to);
        } else {
          for (int64_t k = 0; k < b.k; ++k) {
            to[k] = std::bit_cast<float>(words[k * cpu::kPanel]);
          }
        }
      });
  return y;
}

void Multiply(const QuantizedRows& a, const PackedMatrix& b,
              const Epilogue& epilogue, Tensor& c) {
  assert(b.precision == Precision::kInt8 && a.k == b.k && c.cols() == b.n);
  if (c.numel() == 0) return;
  const int64_t rows = c.rows();
  assert(c.contiguous() && rows == a.values.rows());
  cpu::Int8Product product = {{a.values.data<int8_t>(), a.values.cols(),
                               a.scales.data<float>(), a.sums.data<int32_t>()},
                              b.data.data<uint8_t>(),
                              b.scales.data<float>(),
                              Words(b.k),
                              b.n};
  if (epilogue.bias != nullptr) product.bias = epilogue.bias->data<float>();
  product.accumulate = epilogue.accumulate;
  product.relu = epilogue.activation == Activation::kRelu;
  product.c = c.data<float>();
  const Division part(rows, b.k, b.n);
  const int64_t across = (cpu::Panels(b.n) + part.panels - 1) / part.panels;
  const int64_t down = (rows + part.rows - 1) / part.rows;
  ParallelForEach(down * across, 1, [&](int64_t i) {
    const int64_t row = i / across * part.rows;
    const int64_t panel = i % across * part.panels;
    cpu::MultiplyInt8(product,
                      {row, std::min(rows, row + part.rows), panel,
                       std::min(cpu::Panels(b.n), panel + part.panels)});
  });
  if (!product.relu && epilogue.activation != Activation::kNone) {
    Activate(c, {}, epilogue.activation, c);
  }
  if (epilogue.dropout.rate > 0) {
    DropPart(c, 0, 0, c.cols(), epilogue.dropout);
  }
}

}  // namespace heed::kernels
