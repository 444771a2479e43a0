// Pointwise parts of one step of recurrent cells over a batch.
//
// The caller computes the matrix products; each function here is one fused pass
// over rows of pre-activations. Any argument may have its rows apart (a slice).
// Outputs are allocated by the caller and written in full unless stated
// otherwise. A gradient's dh_prev may alias dh and dc_prev may alias dc; other
// outputs share no memory.
//
// Shapes: B rows of H units; [B, kH] holds k gates side by side.
#ifndef HEED_KERNELS_RNN_H_
#define HEED_KERNELS_RNN_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Active rows of step t: those with t < lengths[b] (i32 [B]; all without
/// lengths). Inactive rows keep their state. Their gradients pass through
/// unchanged and are zero for the gates, whose saved values are neither written
/// nor read.
struct StepMask {
  const Tensor* lengths = nullptr;
  int64_t t = 0;
};

/// h = tanh(a).
/// Shapes: a, h_prev, h [B, H].
void RnnStep(const Tensor& a, const Tensor& h_prev, StepMask mask, Tensor& h);
/// dh_prev receives only the part that bypasses the product: 0, or dh in
/// inactive rows.
void RnnStepGrad(const Tensor& dh, const Tensor& h, StepMask mask, Tensor& da,
                 Tensor& dh_prev);

/// c = sig(f) * c_prev + sig(i) * tanh(g), h = sig(o) * tanh(c), with the gates
/// of `a` in the order i, f, g, o. `gates` receives their activations. Shapes:
/// a, gates [B, 4H]; h_prev, c_prev, h, c [B, H].
void LstmStep(const Tensor& a, const Tensor& h_prev, const Tensor& c_prev,
              StepMask mask, Tensor& gates, Tensor& h, Tensor& c);
/// `dc` is the gradient of c from the next step. dh_prev receives only the part
/// that bypasses the product: 0, or dh in inactive rows. Shapes: gates, da [B,
/// 4H]; all others [B, H].
void LstmStepGrad(const Tensor& dh, const Tensor& dc, const Tensor& gates,
                  const Tensor& c_prev, const Tensor& c, StepMask mask,
                  Tensor& da, Tensor& dh_prev, Tensor& dc_prev);

// Nested LSTM (Moniz and Krueger 2018): an LSTM whose cell state is the hidden
// state of an inner LSTM. A step has three parts; the middle one is LstmStep of
// the inner LSTM. Its `a` is a product with `inner` (computed by the caller),
// its h_prev is c_prev, and its c_prev is the inner cell state.

/// Outer gates of `a` in the order i, f, g, o, where g is not squashed (only
/// the innermost level does that); `gates` receives their activations. Inputs
/// of the inner LSTM: inner = [sig(i) * g, sig(f) * c_prev]; zeros in inactive
/// rows. Shapes: a, gates [B, 4H]; c_prev [B, H]; inner [B, 2H].
void NestedLstmInputs(const Tensor& a, const Tensor& c_prev, StepMask mask,
                      Tensor& gates, Tensor& inner);
/// h = o * tanh(c), with c from the inner LSTM.
/// Shapes: gates [B, 4H]; c, h_prev, h [B, H].
void NestedLstmOutput(const Tensor& gates, const Tensor& c,
                      const Tensor& h_prev, StepMask mask, Tensor& h);
/// Sets the o part of da and adds the gradient through h to dc. dh_prev
/// receives only the part that bypasses the product: 0, or dh in inactive rows.
/// Shapes: gates, da [B, 4H]; dh, c, dc, dh_prev [B, H].
void NestedLstmOutputGrad(const Tensor& dh, const Tensor& gates,
                          const Tensor& c, StepMask mask, Tensor& da,
                          Tensor& dc, Tensor& dh_prev);
/// Sets the i, f, g parts of da and adds the gradient through the inputs of the
/// inner LSTM to dc_prev. Shapes: dinner [B, 2H]; gates, da [B, 4H]; c_prev,
/// dc_prev [B, H].
void NestedLstmInputsGrad(const Tensor& dinner, const Tensor& gates,
                          const Tensor& c_prev, StepMask mask, Tensor& da,
                          Tensor& dc_prev);

// GRU, with gates in the order r, z, n. `keep` selects the meaning of z:
//   true:  h = z * h_prev + (1 - z) * n   (Cho 2014, cuDNN)
//   false: h = (1 - z) * h_prev + z * n   (Bahdanau 2014)

/// Reset after the product (cuDNN): n = tanh(x_n + r * u_n), where x is the
/// input part with its bias and u = h_prev U + b'. `gates` receives r, z, n,
/// u_n. Shapes: x, u [B, 3H]; gates [B, 4H]; h_prev, h [B, H].
void GruStepResetAfter(const Tensor& x, const Tensor& u, const Tensor& h_prev,
                       bool keep, StepMask mask, Tensor& gates, Tensor& h);
/// dh_prev receives only the part that bypasses the product with U. Shapes:
/// gates [B, 4H]; dx, du [B, 3H]; dh, h_prev, dh_prev [B, H].
void GruStepResetAfterGrad(const Tensor& dh, const Tensor& gates,
                           const Tensor& h_prev, bool keep, StepMask mask,
                           Tensor& dx, Tensor& du, Tensor& dh_prev);

/// Reset before the product (Cho 2014, Bahdanau 2014), first half: r = sig(x_r
/// + u_r), z = sig(x_z + u_z) and rh = r * h_prev, which the caller multiplies
/// by U_n. Sets r and z of `gates`. Computes every row. Shapes: x, gates [B,
/// 3H]; u [B, 2H]; h_prev, rh [B, H].
void GruGates(const Tensor& x, const Tensor& u, const Tensor& h_prev,
              Tensor& gates, Tensor& rh);
/// Reset before the product, second half: n = tanh(x_n + un), then h. Sets n of
/// `gates`. Shapes: x, gates [B, 3H]; un, h_prev, h [B, H].
void GruCandidate(const Tensor& x, const Tensor& un, const Tensor& h_prev,
                  bool keep, StepMask mask, Tensor& gates, Tensor& h);
/// Sets the z and n parts of dx; the n part is also the gradient of un. dh_prev
/// receives only the part that bypasses the products. Shapes: gates, dx [B,
/// 3H]; dh, h_prev, dh_prev [B, H].
void GruCandidateGrad(const Tensor& dh, const Tensor& gates,
                      const Tensor& h_prev, bool keep, StepMask mask,
                      Tensor& dx, Tensor& dh_prev);
/// Sets the r part of dx and adds drh * r to dh_prev; drh is the gradient of
/// rh. Shapes: gates, dx [B, 3H]; drh, h_prev, dh_prev [B, H].
void GruGatesGrad(const Tensor& drh, const Tensor& gates, const Tensor& h_prev,
                  StepMask mask, Tensor& dx, Tensor& dh_prev);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_RNN_H_
