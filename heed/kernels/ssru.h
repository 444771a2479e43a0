// Scan over time of the simpler simple recurrent unit (SSRU).
//
// Any argument may have its rows apart. Results do not depend on the number of
// threads.
#ifndef HEED_KERNELS_SSRU_H_
#define HEED_KERNELS_SSRU_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Inputs of a scan. `x` [B, T, 2M] holds the candidates and the
/// pre-activations of the gates side by side.
struct SsruInputs {
  const Tensor& x;
  const Tensor& bias;   // of the gates [M]
  const Tensor& first;  // cells before the first step [B, M]; undefined: zeros
};

/// f_t = sig(x_t[M:] + bias), c_t = f_t * c_{t-1} + (1 - f_t) * x_t[:M].
/// Shapes: cells [B, T, M].
void SsruScan(const SsruInputs& in, Tensor& cells);

/// Gradients of a scan. dfirst may be null. The gradient of the bias is the
/// sum of the rows of dx[M:]. Shapes: dcells, cells [B, T, M]; dx [B, T, 2M];
/// dfirst [B, M].
void SsruScanGrad(const Tensor& dcells, const SsruInputs& in,
                  const Tensor& cells, Tensor& dx, Tensor* dfirst);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_SSRU_H_
