// Writing to and reading from a memory by weights over its slots, as in the
// Neural Turing Machine; see memory_addressing.h for the weights.
//
// f32 and f64. A memory is [B, F, N]: N slots of F features, with the slots of
// a feature side by side, so that vectors run along the slots. Tensors are
// dense. Gradient kernels add to the gradient of the memory.
#ifndef HEED_KERNELS_MEMORY_ACCESS_H_
#define HEED_KERNELS_MEMORY_ACCESS_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// M'(f, i) = M(f, i) prod_h (1 - w_h(i) e_h(f)) + sum_h w_h(i) a_h(f).
/// Shapes: memory and result [B, F, N], weights [B, H, N], erase and add
/// [B, H F]. Paper: Graves et al. 2014, arXiv:1410.5401, eq. 3 and 4.
Tensor WriteMemory(const Tensor& memory, const Tensor& weights,
                   const Tensor& erase, const Tensor& add);

struct MemoryWriteGrads {
  Tensor weights, erase, add;  // replaced
};
/// Gradient of WriteMemory; adds the gradient of the memory to dmemory, unless
/// it is undefined.
MemoryWriteGrads WriteMemoryGrad(const Tensor& dy, const Tensor& memory,
                                 const Tensor& weights, const Tensor& erase,
                                 const Tensor& add, Tensor& dmemory);

/// r_h(f) = sum_i w_h(i) M(f, i). Shapes: memory [B, F, N], weights [B, H, N],
/// result [B, H F]. Paper: Graves et al. 2014, arXiv:1410.5401, eq. 2.
Tensor ReadMemory(const Tensor& memory, const Tensor& weights);
/// Gradient of the weights; adds the gradient of the memory to dmemory, unless
/// it is undefined.
Tensor ReadMemoryGrad(const Tensor& dy, const Tensor& memory,
                      const Tensor& weights, Tensor& dmemory);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_MEMORY_ACCESS_H_
