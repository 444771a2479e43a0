// Fused residual sum and LayerNorm, and fused embedding with positions.
//
// f32 and f64; dense tensors, all dimensions but the last are rows. Dropout is
// that of kernels::Dropout; a rate of 0 drops nothing.
#ifndef HEED_KERNELS_RESIDUAL_H_
#define HEED_KERNELS_RESIDUAL_H_

#include <cstdint>

#include "heed/kernels/dropout.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// x + Dropout(y). Equal shapes.
Tensor AddDropped(const Tensor& x, const Tensor& y, const DropoutKey& dropout);

/// Parameters of LayerNorm. Shapes: gain and bias [C].
struct NormWeights {
  Tensor gain;
  Tensor bias;
  double epsilon = 1e-5;
};

struct AddNormResult {
  Tensor sum;      // x + Dropout(y)
  Tensor normed;   // LayerNorm(sum)
  Tensor mean;     // of each row of sum [R]
  Tensor inv_std;  // [R]
};

AddNormResult AddNorm(const Tensor& x, const Tensor& y,
                      const DropoutKey& dropout, const NormWeights& weights);

struct AddNormGrads {
  Tensor dx;
  Tensor dy;  // dx itself if nothing is dropped
};

/// Gradients of x and y from `dnormed` and `dsum`, which is undefined if
/// nothing else depends on the sum. Adds those of gain and bias to `dgain` and
/// `dbias`.
AddNormGrads AddNormGrad(const Tensor& dnormed, const Tensor& dsum,
                         const AddNormResult& result, const Tensor& gain,
                         const DropoutKey& dropout, Tensor& dgain,
                         Tensor& dbias);

/// y[b, t, :] = Dropout(scale table[ids[b, t], :] + positions[offset + t, :]).
/// Shapes: table [V, M], ids i32 [B, T], positions [P, M] or undefined. Range:
/// id < V, offset + T <= P. A negative id stands for a row of zeros.
Tensor EmbedScaled(const Tensor& table, const Tensor& ids, double scale,
                   const Tensor& positions, int64_t offset,
                   const DropoutKey& dropout);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_RESIDUAL_H_
