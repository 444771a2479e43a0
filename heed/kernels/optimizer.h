// Optimiser steps: one pass over a parameter and its state, f32 and f64.
//
// g is the given gradient times grad_scale. All tensors of a call have equal
// numbers of elements.
#ifndef HEED_KERNELS_OPTIMIZER_H_
#define HEED_KERNELS_OPTIMIZER_H_

#include <cstdint>

#include "heed/kernels/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Weight that a step updates, with packed forms (of an f32 matrix) that are
/// repacked while the new values are in the cache.
struct Weight {
  Tensor& values;
  PackedForms forms = {};
};

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;  // decoupled (AdamW)
  double grad_scale = 1;
  int64_t step = 1;             // counts from 1, for the bias correction
  bool bias_correction = true;  // else both 1 - b^step below are 1
};

/// m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2;
/// w -= lr (m / (1 - b1^step) / (sqrt(v / (1 - b2^step)) + eps) + decay w).
/// Paper: Kingma 2015, 1412.6980; Loshchilov 2019, 1711.05101.
void AdamStep(const Weight& w, const Tensor& g, Tensor& m, Tensor& v,
              const AdamOptions& options);

/// eg2 = rho eg2 + (1 - rho) g^2; d = sqrt(ed2 + eps) / sqrt(eg2 + eps) g;
/// ed2 = rho ed2 + (1 - rho) d^2; w -= lr d.
/// Paper: Zeiler 2012, 1212.5701.
void AdadeltaStep(const Weight& w, const Tensor& g, Tensor& eg2, Tensor& ed2,
                  double rho, double eps, double lr, double grad_scale);

struct RmspropOptions {
  double learning_rate = 1e-4;
  double rho = 0.95;
  double momentum = 0.9;
  double epsilon = 1e-4;
  double grad_scale = 1;
};

/// n = rho n + (1 - rho) g^2; m = rho m + (1 - rho) g;
/// d = momentum d - lr g / sqrt(n - m^2 + eps); w += d.
/// The centred form: n - m^2 is the variance of the gradient, 0 where rounding
/// makes it negative.
/// Paper: Graves 2013, arXiv:1308.0850, eq. 38 to 41.
void RmspropStep(const Weight& w, const Tensor& g, Tensor& n, Tensor& m,
                 Tensor& d, const RmspropOptions& options);

/// x = min(max(x, -limit), limit).
void ClampStep(Tensor& x, double limit);

/// v = momentum v + g; w -= lr v.
void SgdStep(const Weight& w, const Tensor& g, Tensor& v, double lr,
             double momentum, double grad_scale);

/// mean += share (w - mean): a moving average of the weights.
void AverageStep(Tensor& mean, const Tensor& w, double share);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_OPTIMIZER_H_
