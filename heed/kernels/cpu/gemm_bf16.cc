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

Tensor Unpack(const PackedMatrix& packed, bool transpose) {
  const int64_t k = packed.k;
  const int64_t n = packed.n;
  const DType dtype = packed.data.dtype();
  assert(dtype == DType::kF32 || dtype == DType::kBF16);
  Tensor values(transpose ? Shape{n, k} : Shape{k, n}, dtype);
  const int64_t stride = values.row_stride();
  const bool pairs = cpu::InPairs(packed);
  const int64_t size = cpu::PaddedRows(k, pairs) * cpu::kPanel;
  ParallelForEach(cpu::Panels(n), 1, [&](int64_t p) {
    if (pairs) {
      cpu::UnpackPanelPairs(cpu::Bits(packed.data, 0) + p * size, p,
                            {nullptr, k, n, stride, transpose},
                            cpu::Bits(values, 0));
    } else {
      cpu::UnpackPanel(packed.data.data<float>() + p * size, p,
                       {nullptr, k, n, stride, transpose},
                       values.data<float>());
    }
  });
  return values;
}

}  // namespace heed::kernels
