// Recurrences over whole sequences as single operations.
//
// A single step is a sequence of length one, so training, decoding and
// explanation share the code. The caller computes products with the input for
// all steps at once. Rows whose sequence has ended keep their state.
#ifndef HEED_OPS_RNN_H_
#define HEED_OPS_RNN_H_

#include <string>

#include "heed/autograd/context.h"

namespace heed {

/// h' = tanh(x + h U). Shapes: x [T, B, H] (input part with bias), h0 [B, H],
/// recurrent [H, H], lengths i32 [B] or undefined; result [T, B, H].
Var RnnSequence(const Var& x, const Var& h0, const Var& recurrent,
                const Tensor& lengths);

/// Gates in the order i, f, g, o:
///   c' = σ(f) c + σ(i) tanh(g),  h' = σ(o) tanh(c').
/// Shapes: x [T, B, 4H], state0 [2, B, H] (h, c), recurrent [H, 4H]; result [T
/// + 1, B, H]: the T hidden states, then the last cell state. For T = 1 the
/// result is the next state. Paper: Hochreiter and Schmidhuber 1997; Gers et
/// al. 2000.
Var LstmSequence(const Var& x, const Var& state0, const Var& recurrent,
                 const Tensor& lengths);

/// Weights of a Nested LSTM.
struct NestedLstmWeights {
  Var outer;  // of h [H, 4H]
  Var inner;  // of [i⊙g, f⊙c] [2H, 4H]
  Var bias;   // of the inner LSTM [4H]
};

/// Nested LSTM of depth 2: the cell state is the hidden state of an inner LSTM,
/// so that the inner cell state c̃ changes only where the outer gates let it.
/// Gates in the order i, f, g, o, outer ones of x + h U, inner ones of [i⊙g,
/// f⊙c] W + b:
///   ĩ = σ, f̃ = σ, g̃ = tanh, õ = σ of the inner gates,
///   c̃' = f̃ c̃ + ĩ g̃,  c' = õ tanh(c̃'),  h' = σ(o) tanh(c'),
/// where i = σ, f = σ, and g has no activation: only the innermost level
/// squashes. Shapes: x [T, B, 4H], state0 [3, B, H] (h, c, c̃); result [T + 2,
/// B, H]: the T hidden states, then the last c and c̃. For T = 1 the result is
/// the next state. Paper: Moniz and Krueger 2018, arXiv:1801.10308.
Var NestedLstmSequence(const Var& x, const Var& state0,
                       const NestedLstmWeights& weights, const Tensor& lengths);

/// Common forms of the GRU. They differ in the meaning of the update gate z and
/// the position of the reset gate r.
enum class GruKind {
  kCho,  // ñ = tanh(x + (r⊙h) U), h' = z⊙h + (1−z)⊙ñ; arXiv:1406.1078
  kBahdanau,  // ñ = tanh(x + (r⊙h) U), h' = (1−z)⊙h + z⊙ñ; arXiv:1409.0473
  kCudnn,  // ñ = tanh(x + r⊙(h U + b')), h' = z⊙h + (1−z)⊙ñ
};

/// Recurrent weights of a GRU; gates in the order r, z, n.
struct GruWeights {
  GruKind kind = GruKind::kCudnn;
  Var gates;      // cudnn: [H, 3H]; else [H, 2H] for r and z
  Var candidate;  // cho, bahdanau: [H, H]
  Var bias;       // cudnn: b' [3H], may be undefined
  Var inner;      // cudnn: added to h U at each step [B, 3H], may be undefined
};

/// GRU over a sequence. Shapes: x [T, B, 3H] (input part with bias), h0 [B, H];
/// result [T, B, H].
Var GruSequence(const Var& x, const Var& h0, const GruWeights& weights,
                const Tensor& lengths);

}  // namespace heed

#endif  // HEED_OPS_RNN_H_
