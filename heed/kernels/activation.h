// Activations of layers, fused with the preceding bias.
//
// f32 and f64; dense tensors, all dimensions but the last are rows.
#ifndef HEED_KERNELS_ACTIVATION_H_
#define HEED_KERNELS_ACTIVATION_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// In order: f(z) = z; max(z, 0); z Phi(z), with Phi the standard normal
/// distribution function; z Phi(z) with the approximation Phi(z) = (1 +
/// tanh(sqrt(2 / pi) (z + 0.044715 z^3))) / 2; z sigmoid(z). Paper: Hendrycks
/// 2016, 1606.08415; Ramachandran 2017, 1710.05941.
enum class Activation : uint8_t { kNone, kRelu, kGelu, kGeluTanh, kSwish };

/// z += bias, unless bias is undefined; y = f(z). y may be z, which then holds
/// only f(z): enough for the gradient of kRelu. Shapes: z and y [R, C], rows
/// may be apart; bias [C].
void Activate(Tensor& z, const Tensor& bias, Activation f, Tensor& y);
/// dz = scale dy f'(z); dbias += sum_r dz[r, :] unless dbias is null. dz may be
/// dy.
void ActivateGrad(const Tensor& dy, const Tensor& z, Activation f, double scale,
                  Tensor& dz, Tensor* dbias);

/// dz *= scale f'(z), in place, for part of a tensor; dbias += sum_r dz[r, :]
/// unless dbias is null. For f32, z may be bf16. Shapes: dz and z [R, C], rows
/// may be apart, dbias [1, C].
void ActivateGradPart(Tensor& dz, const Tensor& z, Activation f, double scale,
                      Tensor* dbias);

/// y[r, j] = f(x[r, j]) x[r, N + j]. Shapes: x [R, 2N], y [R, N].
/// Paper: Shazeer 2020, 2002.05202.
Tensor GatedActivate(const Tensor& x, Activation f);
Tensor GatedActivateGrad(const Tensor& dy, const Tensor& x, Activation f);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_ACTIVATION_H_
