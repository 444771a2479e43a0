// Pointwise parts of one step of recurrent cells over a batch.
//
// The matrix products are done outside; each function here is one fused pass
// over rows of pre-activations. Any argument may have its rows apart (a slice).
// Outputs are allocated by the caller and written in full unless said
// otherwise; a gradient's dh_prev may be its dh and dc_prev its dc, else
// outputs share memory with nothing.
//
// Shapes: B rows of H units; [B, kH] holds k gates side by side.
#ifndef HEED_KERNELS_RNN_H_
#define HEED_KERNELS_RNN_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Which rows take part in step t: those with t < lengths[b] (i32 [B]; all of
/// them without lengths). The others carry their state over unchanged, and a
/// gradient passes straight through them: zero to the gates, whose saved values
/// are then neither written nor read.
struct StepMask {
  const Tensor* lengths = nullptr;
  int64_t t = 0;
};

/// h = tanh(a).
/// Shapes: a, h_prev, h [B, H].
void RnnStep(const Tensor& a, const Tensor& h_prev, StepMask mask, Tensor& h);
/// dh_prev is the direct part, past the product: 0, or dh in inactive rows.
void RnnStepGrad(const Tensor& dh, const Tensor& h, StepMask mask, Tensor& da,
                 Tensor& dh_prev);

/// c = sig(f) * c_prev + sig(i) * tanh(g), h = sig(o) * tanh(c), with the gates
/// of `a` in the order i, f, g, o. `gates` keeps them activated.
/// Shapes: a, gates [B, 4H]; h_prev, c_prev, h, c [B, H].
void LstmStep(const Tensor& a, const Tensor& h_prev, const Tensor& c_prev,
              StepMask mask, Tensor& gates, Tensor& h, Tensor& c);
/// `dc` is what flows into c from the next step; dh_prev is the direct part: 0,
/// or dh in inactive rows.
/// Shapes: gates, da [B, 4H]; all others [B, H].
void LstmStepGrad(const Tensor& dh, const Tensor& dc, const Tensor& gates,
                  const Tensor& c_prev, const Tensor& c, StepMask mask,
                  Tensor& da, Tensor& dh_prev, Tensor& dc_prev);

// Nested LSTM (Moniz and Krueger 2018): an LSTM whose cell state is the hidden
// state of an inner LSTM. A step is three parts, of which LstmStep is the
// middle one: its `a` is a product with `inner` (which the caller does), its
// h_prev and c_prev are c_prev and the inner cell state.

/// Outer gates of `a` in the order i, f, g, o, where g stays as it is (only the
/// innermost level squashes); `gates` keeps them activated. What the inner LSTM
/// reads, side by side: inner = [sig(i) * g, sig(f) * c_prev]; zeros in
/// inactive rows. Shapes: a, gates [B, 4H]; c_prev [B, H]; inner [B, 2H].
void NestedLstmInputs(const Tensor& a, const Tensor& c_prev, StepMask mask,
                      Tensor& gates, Tensor& inner);
/// h = o * tanh(c), with c from the inner LSTM.
/// Shapes: gates [B, 4H]; c, h_prev, h [B, H].
void NestedLstmOutput(const Tensor& gates, const Tensor& c,
                      const Tensor& h_prev, StepMask mask, Tensor& h);
/// Fills the o part of da and adds to dc what flows through h; dh_prev is the
/// direct part: 0, or dh in inactive rows.
/// Shapes: gates, da [B, 4H]; dh, c, dc, dh_prev [B, H].
void NestedLstmOutputGrad(const Tensor& dh, const Tensor& gates,
                          const Tensor& c, StepMask mask, Tensor& da,
                          Tensor& dc, Tensor& dh_prev);
/// Fills the i, f, g parts of da and adds to dc_prev what flows through the
/// inner LSTM's inputs.
/// Shapes: dinner [B, 2H]; gates, da [B, 4H]; c_prev, dc_prev [B, H].
void NestedLstmInputsGrad(const Tensor& dinner, const Tensor& gates,
                          const Tensor& c_prev, StepMask mask, Tensor& da,
                          Tensor& dc_prev);

// GRU, with gates in the order r, z, n. `keep` says what an open z does:
//   true:  h = z * h_prev + (1 - z) * n   (Cho 2014, cuDNN)
//   false: h = (1 - z) * h_prev + z * n   (Bahdanau 2014)

/// Reset after the product (cuDNN): n = tanh(x_n + r * u_n), where x is the
/// part of the input with its bias and u = h_prev U + b'. `gates` keeps
/// r, z, n, u_n.
/// Shapes: x, u [B, 3H]; gates [B, 4H]; h_prev, h [B, H].
void GruStepResetAfter(const Tensor& x, const Tensor& u, const Tensor& h_prev,
                       bool keep, StepMask mask, Tensor& gates, Tensor& h);
/// dh_prev is the direct part, past the product with U.
/// Shapes: gates [B, 4H]; dx, du [B, 3H]; dh, h_prev, dh_prev [B, H].
void GruStepResetAfterGrad(const Tensor& dh, const Tensor& gates,
                           const Tensor& h_prev, bool keep, StepMask mask,
                           Tensor& dx, Tensor& du, Tensor& dh_prev);

/// Reset before the product (Cho 2014, Bahdanau 2014), first half:
/// r = sig(x_r + u_r), z = sig(x_z + u_z) and rh = r * h_prev, which the caller
/// multiplies by U_n. Fills r and z of `gates`. Runs on every row.
/// Shapes: x, gates [B, 3H]; u [B, 2H]; h_prev, rh [B, H].
void GruGates(const Tensor& x, const Tensor& u, const Tensor& h_prev,
              Tensor& gates, Tensor& rh);
/// Second half: n = tanh(x_n + un), then h. Fills n of `gates`.
/// Shapes: x, gates [B, 3H]; un, h_prev, h [B, H].
void GruCandidate(const Tensor& x, const Tensor& un, const Tensor& h_prev,
                  bool keep, StepMask mask, Tensor& gates, Tensor& h);
/// Fills the z and n parts of dx; the n part is also the gradient of un.
/// dh_prev is the direct part.
/// Shapes: gates, dx [B, 3H]; dh, h_prev, dh_prev [B, H].
void GruCandidateGrad(const Tensor& dh, const Tensor& gates,
                      const Tensor& h_prev, bool keep, StepMask mask,
                      Tensor& dx, Tensor& dh_prev);
/// Fills the r part of dx and adds drh * r to dh_prev; drh is the gradient of
/// rh.
/// Shapes: gates, dx [B, 3H]; drh, h_prev, dh_prev [B, H].
void GruGatesGrad(const Tensor& drh, const Tensor& gates, const Tensor& h_prev,
                  StepMask mask, Tensor& dx, Tensor& dh_prev);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_RNN_H_
