// Weights over the slots of a memory, as in the Neural Turing Machine; see
// memory_access.h for writing and reading.
//
// f32 and f64. A memory is [B, F, N]: N slots of F features, with the slots of
// a feature adjacent, so that vectors run along the slots. Tensors are dense.
// Gradient kernels add to the gradient of the memory and set those of weights
// and numbers.
#ifndef HEED_KERNELS_MEMORY_ADDRESSING_H_
#define HEED_KERNELS_MEMORY_ADDRESSING_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Term added to squared lengths, which makes the cosine with a zero slot 0.
inline constexpr double kCosineEpsilon = 1e-8;

/// Number of values that address a memory of F features with shifts of up to R
/// slots in both directions: key (F), strength, gate, 2R + 1 shifts,
/// sharpening.
constexpr int64_t AddressSize(int64_t features, int64_t reach) {
  return features + 2 * reach + 4;
}

struct MemoryAddress {
  Tensor weights;  // [B, H, N]
  Tensor trace;    // intermediate values for the gradient
};

/// Weights over the slots i of a memory, from the numbers p of each head:
///   k = tanh(p_key), b = softplus(p_strength), g = sigmoid(p_gate),
///   s = softmax(p_shifts), y = 1 + softplus(p_sharpening),
///   c(i) = softmax_i(b cos(k, M(i))),  m(i) = g c(i) + (1 - g) previous(i),
///   t(i) = sum_o s(o) m((i - o) mod N), w(i) = t(i)^y / sum_j t(j)^y.
/// Shapes: numbers [B, H AddressSize(F, R)], previous [B, H, N], memory [B, F,
/// N]. Paper: Graves et al. 2014, arXiv:1410.5401, eq. 5 to 9.
MemoryAddress AddressMemory(const Tensor& numbers, const Tensor& previous,
                            const Tensor& memory);

struct MemoryAddressGrads {
  Tensor numbers;   // replaced
  Tensor previous;  // replaced
};
/// Gradient of AddressMemory; adds the gradient of the memory to dmemory,
/// unless it is undefined.
MemoryAddressGrads AddressMemoryGrad(const Tensor& dweights,
                                     const MemoryAddress& address,
                                     const Tensor& numbers,
                                     const Tensor& previous,
                                     const Tensor& memory, Tensor& dmemory);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_MEMORY_ADDRESSING_H_
