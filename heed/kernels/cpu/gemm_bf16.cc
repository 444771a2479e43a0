#include <cassert>

#include "heed/base/threads.h"
#include "heed/kernels/bf16_weights.h"
#include "heed/kernels/cpu/pairs.h"
#include "heed/kernels/cpu/product_parts.h"

namespace heed::kernels {

void PackBF16(const Tensor& b, bool transpose, Precision precision,
              PackedMatrix& packed) {
  assert(b.dtype() == DType::kBF16 && b.rank() == 2);
  const bool bf16 = cpu::Supported(precision) == Precision::kBF16;
  const cpu::MatrixViewBF16 view{cpu::Bits(b, 0), b.dim(transpose ? 1 : 0),
                                 b.dim(transpose ? 0 : 1), b.row_stride(),
                                 transpose};
  cpu::PackPanels(view.k, view.n, bf16 ? Precision::kBF16 : Precision::kNative,
                  /*pairs=*/true, packed, [&](int64_t p, void* out) {
                    cpu::PackPanelPairs(view, p, static_cast<uint16_t*>(out));
                  });
}

Tensor UnpackBF16(const PackedMatrix& packed, bool transpose) {
  assert(cpu::InPairs(packed));
  const int64_t k = packed.k;
  const int64_t n = packed.n;
  Tensor values(transpose ? Shape{n, k} : Shape{k, n}, DType::kBF16);
  const cpu::MatrixViewBF16 shape{nullptr, k, n, values.row_stride(),
                                  transpose};
  const uint16_t* panels = cpu::Bits(packed.data, 0);
  const int64_t size = cpu::PaddedRows(k, true) * cpu::kPanel;
  ParallelForEach(cpu::Panels(n), 1, [&](int64_t p) {
    cpu::UnpackPanelPairs(panels + p * size, p, shape, cpu::Bits(values, 0));
  });
  return values;
}

}  // namespace heed::kernels
