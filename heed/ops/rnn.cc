#include "heed/ops/rnn.h"

#include <utility>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/reduce.h"
#include "heed/kernels/rnn.h"
#include "heed/ops/check.h"
#include "heed/ops/product.h"

namespace heed {
namespace {

using kernels::StepMask;

/// Sizes of a recurrence: T steps, B rows, H units.
struct Sizes {
  int64_t t, b, h;
};

Sizes CheckSequence(std::string_view op, const Var& x, const Shape& state,
                    int64_t gates, const Tensor& lengths) {
  const bool fits = x.shape().rank() == 3 && state.rank() >= 2 &&
                    state[-2] == x.dim(1) && x.dim(2) == gates * state[-1];
  CheckShapes(fits, op, "input and state that do not fit", {x.shape(), state});
  CheckLengths(op, lengths, x.dim(1), x.dim(0));
  return {x.dim(0), x.dim(1), state[-1]};
}

void CheckWeight(std::string_view op, const Var& weight, int64_t rows,
                 int64_t columns) {
  CheckShapes(weight.shape() == Shape{rows, columns}, op,
              "a recurrent weight that does not fit",
              {weight.shape(), Shape{rows, columns}});
}

StepMask MaskAt(const Tensor& lengths, int64_t t) {
  return {lengths.defined() ? &lengths : nullptr, t};
}

/// c (+)= a w, or a wᵀ; looks up the packed form once for all steps.
class StepProduct {
 public:
  StepProduct(const Factor& weight, bool transpose)
      : packed_(weight.defined() ? &weight.Packed(transpose, local_)
                                 : nullptr) {}
  StepProduct(const StepProduct&) = delete;
  StepProduct& operator=(const StepProduct&) = delete;

  void Run(const Tensor& a, bool accumulate, Tensor& c) const {
    kernels::Multiply(a, *packed_, accumulate, c);
  }

 private:
  kernels::PackedMatrix local_;
  const kernels::PackedMatrix* packed_;
};

/// Tensor [T + 1, B, H] for states 0..T, with `first` at 0.
Tensor StatesFrom(const Tensor& first, const Sizes& s) {
  Tensor states({s.t + 1, s.b, s.h}, first.dtype());
  states[0].CopyFrom(first);
  return states;
}

}  // namespace

Var RnnSequence(const Var& x, const Var& h0, const Var& recurrent,
                const Tensor& lengths) {
  const Sizes s = CheckSequence("rnn", x, h0.shape(), 1, lengths);
  CheckWeight("rnn", recurrent, s.h, s.h);
  Tensor states = StatesFrom(h0.value(), s);
  const Factor u(recurrent);
  {
    const StepProduct product(u, false);
    Tensor a({s.b, s.h}, x.value().dtype());
    for (int64_t t = 0; t < s.t; ++t) {
      a.CopyFrom(x.value()[t]);
      product.Run(states[t], true, a);
      Tensor h = states[t + 1];
      kernels::RnnStep(a, states[t], MaskAt(lengths, t), h);
    }
  }
  return Record("rnn", states.Slice(1, s.t + 1), {x, h0, recurrent},
                [states, u, lengths, s](const Tensor& dy, Grads& g) {
                  const StepProduct product(u, true);
                  Tensor dx({s.t, s.b, s.h}, dy.dtype());
                  Tensor dh = Tensor::Zeros({s.b, s.h}, dy.dtype());
                  Tensor dh_prev({s.b, s.h}, dy.dtype());
                  for (int64_t t = s.t - 1; t >= 0; --t) {
                    kernels::AddTo(dh, dy[t]);
                    Tensor da = dx[t];
                    kernels::RnnStepGrad(dh, states[t + 1], MaskAt(lengths, t),
                                         da, dh_prev);
                    product.Run(da, true, dh_prev);
                    dh.swap(dh_prev);
                  }
                  g.AddProduct(2, states.Slice(0, s.t), dx);
                  g.Add(0, std::move(dx));
                  g.Add(1, std::move(dh));
                });
}

Var LstmSequence(const Var& x, const Var& state0, const Var& recurrent,
                 const Tensor& lengths) {
  const Sizes s = CheckSequence("lstm", x, state0.shape(), 4, lengths);
  CheckWeight("lstm", recurrent, s.h, 4 * s.h);
  CheckShapes(state0.shape().rank() == 3 && state0.dim(0) == 2, "lstm",
              "a state that is not [2, B, H]", {state0.shape()});
  const DType dtype = x.value().dtype();
  Tensor result({s.t + 1, s.b, s.h}, dtype);
  Tensor cells = StatesFrom(state0.value()[1], s);
  Tensor gates({s.t, s.b, 4 * s.h}, dtype);
  const Tensor h0 = state0.value()[0];
  const Factor u(recurrent);
  {
    const StepProduct product(u, false);
    Tensor a({s.b, 4 * s.h}, dtype);
    for (int64_t t = 0; t < s.t; ++t) {
      const Tensor h_prev = t == 0 ? h0 : result[t - 1];
      a.CopyFrom(x.value()[t]);
      product.Run(h_prev, true, a);
      Tensor gate = gates[t];
      Tensor h = result[t];
      Tensor c = cells[t + 1];
      kernels::LstmStep(a, h_prev, cells[t], MaskAt(lengths, t), gate, h, c);
    }
  }
  result[s.t].CopyFrom(cells[s.t]);
  return Record("lstm", result, {x, state0, recurrent},
                [h0, hidden = result, cells, gates, u, lengths, s](
                    const Tensor& dy, Grads& g) {
                  const StepProduct product(u, true);
                  Tensor dx({s.t, s.b, 4 * s.h}, dy.dtype());
                  Tensor dstate = Tensor::Zeros({2, s.b, s.h}, dy.dtype());
                  Tensor dstate_prev({2, s.b, s.h}, dy.dtype());
                  dstate[1].CopyFrom(dy[s.t]);
                  for (int64_t t = s.t - 1; t >= 0; --t) {
                    Tensor dh = dstate[0];
                    kernels::AddTo(dh, dy[t]);
                    Tensor da = dx[t];
                    Tensor dh_prev = dstate_prev[0];
                    Tensor dc_prev = dstate_prev[1];
                    kernels::LstmStepGrad(dh, dstate[1], gates[t], cells[t],
                                          cells[t + 1], MaskAt(lengths, t), da,
                                          dh_prev, dc_prev);
                    product.Run(da, true, dh_prev);
                    dstate.swap(dstate_prev);
                  }
                  if (s.t > 0) g.AddProduct(2, h0, dx[0]);
                  if (s.t > 1) {
                    g.AddProduct(2, hidden.Slice(0, s.t - 1), dx.Slice(1, s.t));
                  }
                  g.Add(0, std::move(dx));
                  g.Add(1, std::move(dstate));
                });
}

namespace {

/// Values that a Nested LSTM stores for its gradient.
struct NestedLstmTrace {
  Sizes s;
  Tensor lengths;
  Factor outer, inner;
  Tensor h0;
  Tensor result;       // h of all steps, then the last c and c̃
  Tensor cells;        // c at the start of steps 0, 1, ..., T
  Tensor inner_cells;  // c̃ at the start of steps 0, 1, ..., T
  Tensor inputs;       // [i⊙g, f⊙c] [T, B, 2H]
  Tensor gates;        // [T, B, 4H]
  Tensor inner_gates;  // [T, B, 4H]
};

void NestedLstmGrad(const NestedLstmTrace& k, const Tensor& dy, Grads& g) {
  const Sizes& s = k.s;
  const StepProduct outer(k.outer, true);
  const StepProduct inner(k.inner, true);
  Tensor dx({s.t, s.b, 4 * s.h}, dy.dtype());
  Tensor dinner({s.t, s.b, 4 * s.h}, dy.dtype());
  Tensor dinputs({s.b, 2 * s.h}, dy.dtype());
  Tensor dstate = Tensor::Zeros({3, s.b, s.h}, dy.dtype());
  Tensor dstate_prev({3, s.b, s.h}, dy.dtype());
  dstate[1].CopyFrom(dy[s.t]);
  dstate[2].CopyFrom(dy[s.t + 1]);
  for (int64_t t = s.t - 1; t >= 0; --t) {
    const StepMask mask = MaskAt(k.lengths, t);
    Tensor dh = dstate[0];
    Tensor dc = dstate[1];
    kernels::AddTo(dh, dy[t]);
    Tensor da = dx[t];
    Tensor da_inner = dinner[t];
    Tensor dh_prev = dstate_prev[0];
    Tensor dc_prev = dstate_prev[1];
    Tensor dmemory_prev = dstate_prev[2];
    kernels::NestedLstmOutputGrad(dh, k.gates[t], k.cells[t + 1], mask, da, dc,
                                  dh_prev);
    kernels::LstmStepGrad(dc, dstate[2], k.inner_gates[t], k.inner_cells[t],
                          k.inner_cells[t + 1], mask, da_inner, dc_prev,
                          dmemory_prev);
    inner.Run(da_inner, false, dinputs);
    kernels::NestedLstmInputsGrad(dinputs, k.gates[t], k.cells[t], mask, da,
                                  dc_prev);
    outer.Run(da, true, dh_prev);
    dstate.swap(dstate_prev);
  }
  if (s.t > 0) g.AddProduct(2, k.h0, dx[0]);
  if (s.t > 1) {
    g.AddProduct(2, k.result.Slice(0, s.t - 1), dx.Slice(1, s.t));
  }
  if (s.t > 0) g.AddProduct(3, k.inputs, dinner);
  if (g.Needs(4)) kernels::ColumnSumTo(g.Accumulate(4), dinner);
  g.Add(0, std::move(dx));
  g.Add(1, std::move(dstate));
}

}  // namespace

Var NestedLstmSequence(const Var& x, const Var& state0,
                       const NestedLstmWeights& w, const Tensor& lengths) {
  const Sizes s = CheckSequence("nested_lstm", x, state0.shape(), 4, lengths);
  CheckWeight("nested_lstm", w.outer, s.h, 4 * s.h);
  CheckWeight("nested_lstm", w.inner, 2 * s.h, 4 * s.h);
  CheckShapes(w.bias.shape() == Shape{4 * s.h}, "nested_lstm",
              "a bias that does not fit", {w.bias.shape(), Shape{4 * s.h}});
  CheckShapes(state0.shape().rank() == 3 && state0.dim(0) == 3, "nested_lstm",
              "a state that is not [3, B, H]", {state0.shape()});
  const DType dtype = x.value().dtype();
  NestedLstmTrace k = {s,
                       lengths,
                       Factor(w.outer),
                       Factor(w.inner),
                       state0.value()[0],
                       Tensor({s.t + 2, s.b, s.h}, dtype),
                       StatesFrom(state0.value()[1], s),
                       StatesFrom(state0.value()[2], s),
                       Tensor({s.t, s.b, 2 * s.h}, dtype),
                       Tensor({s.t, s.b, 4 * s.h}, dtype),
                       Tensor({s.t, s.b, 4 * s.h}, dtype)};
  {
    const StepProduct outer(k.outer, false);
    const StepProduct inner(k.inner, false);
    Tensor a({s.b, 4 * s.h}, dtype);
    for (int64_t t = 0; t < s.t; ++t) {
      const StepMask mask = MaskAt(lengths, t);
      const Tensor h_prev = t == 0 ? k.h0 : k.result[t - 1];
      Tensor h = k.result[t];
      Tensor c = k.cells[t + 1];
      Tensor memory = k.inner_cells[t + 1];
      Tensor inputs = k.inputs[t];
      Tensor gates = k.gates[t];
      Tensor inner_gates = k.inner_gates[t];
      a.CopyFrom(x.value()[t]);
      outer.Run(h_prev, true, a);
      kernels::NestedLstmInputs(a, k.cells[t], mask, gates, inputs);
      inner.Run(inputs, false, a);
      kernels::AddRowTo(a, w.bias.value());
      kernels::LstmStep(a, k.cells[t], k.inner_cells[t], mask, inner_gates, c,
                        memory);
      kernels::NestedLstmOutput(gates, c, h_prev, mask, h);
    }
  }
  k.result[s.t].CopyFrom(k.cells[s.t]);
  k.result[s.t + 1].CopyFrom(k.inner_cells[s.t]);
  const Tensor result = k.result;
  return Record("nested_lstm", result, {x, state0, w.outer, w.inner, w.bias},
                [k = std::move(k)](const Tensor& dy, Grads& g) {
                  NestedLstmGrad(k, dy, g);
                });
}

namespace {

/// GRU with reset after the product.
Var GruResetAfter(const Var& x, const Var& h0, const GruWeights& w,
                  const Tensor& lengths) {
  const Sizes s = CheckSequence("gru", x, h0.shape(), 3, lengths);
  CheckWeight("gru", w.gates, s.h, 3 * s.h);
  const DType dtype = x.value().dtype();
  Tensor states = StatesFrom(h0.value(), s);
  Tensor gates({s.t, s.b, 4 * s.h}, dtype);
  const Factor factor(w.gates);
  {
    const StepProduct product(factor, false);
    Tensor u({s.b, 3 * s.h}, dtype);
    for (int64_t t = 0; t < s.t; ++t) {
      if (w.inner.defined()) u.CopyFrom(w.inner.value());
      product.Run(states[t], w.inner.defined(), u);
      if (w.bias.defined()) kernels::AddRowTo(u, w.bias.value());
      Tensor gate = gates[t];
      Tensor h = states[t + 1];
      kernels::GruStepResetAfter(x.value()[t], u, states[t], true,
                                 MaskAt(lengths, t), gate, h);
    }
  }
  return Record(
      "gru", states.Slice(1, s.t + 1), {x, h0, w.gates, w.bias, w.inner},
      [states, gates, factor, lengths, s](const Tensor& dy, Grads& g) {
        const StepProduct product(factor, true);
        Tensor dx({s.t, s.b, 3 * s.h}, dy.dtype());
        Tensor du({s.t, s.b, 3 * s.h}, dy.dtype());
        Tensor dh = Tensor::Zeros({s.b, s.h}, dy.dtype());
        Tensor dh_prev({s.b, s.h}, dy.dtype());
        for (int64_t t = s.t - 1; t >= 0; --t) {
          kernels::AddTo(dh, dy[t]);
          Tensor dx_t = dx[t];
          Tensor du_t = du[t];
          kernels::GruStepResetAfterGrad(dh, gates[t], states[t], true,
                                         MaskAt(lengths, t), dx_t, du_t,
                                         dh_prev);
          product.Run(du_t, true, dh_prev);
          if (g.Needs(4)) kernels::AddTo(g.Accumulate(4), du_t);
          dh.swap(dh_prev);
        }
        g.AddProduct(2, states.Slice(0, s.t), du);
        if (g.Needs(3)) kernels::ColumnSumTo(g.Accumulate(3), du);
        g.Add(0, std::move(dx));
        g.Add(1, std::move(dh));
      });
}

/// GRU with reset before the product.
Var GruResetBefore(const Var& x, const Var& h0, const GruWeights& w,
                   const Tensor& lengths) {
  const Sizes s = CheckSequence("gru", x, h0.shape(), 3, lengths);
  CheckWeight("gru", w.gates, s.h, 2 * s.h);
  CheckWeight("gru", w.candidate, s.h, s.h);
  const bool keep = w.kind == GruKind::kCho;
  const DType dtype = x.value().dtype();
  Tensor states = StatesFrom(h0.value(), s);
  Tensor gates({s.t, s.b, 3 * s.h}, dtype);
  Tensor reset({s.t, s.b, s.h}, dtype);  // r ⊙ h
  const Factor ug(w.gates);
  const Factor uc(w.candidate);
  {
    const StepProduct gate_product(ug, false);
    const StepProduct candidate_product(uc, false);
    Tensor u({s.b, 2 * s.h}, dtype);
    Tensor un({s.b, s.h}, dtype);
    for (int64_t t = 0; t < s.t; ++t) {
      gate_product.Run(states[t], false, u);
      Tensor gate = gates[t];
      Tensor rh = reset[t];
      kernels::GruGates(x.value()[t], u, states[t], gate, rh);
      candidate_product.Run(rh, false, un);
      Tensor h = states[t + 1];
      kernels::GruCandidate(x.value()[t], un, states[t], keep,
                            MaskAt(lengths, t), gate, h);
    }
  }
  return Record(
      "gru", states.Slice(1, s.t + 1), {x, h0, w.gates, w.candidate},
      [states, gates, reset, ug, uc, keep, lengths, s](const Tensor& dy,
                                                       Grads& g) {
        const StepProduct gate_product(ug, true);
        const StepProduct candidate_product(uc, true);
        Tensor dx({s.t, s.b, 3 * s.h}, dy.dtype());
        Tensor drh({s.b, s.h}, dy.dtype());
        Tensor dh = Tensor::Zeros({s.b, s.h}, dy.dtype());
        Tensor dh_prev({s.b, s.h}, dy.dtype());
        for (int64_t t = s.t - 1; t >= 0; --t) {
          kernels::AddTo(dh, dy[t]);
          Tensor dx_t = dx[t];
          const StepMask mask = MaskAt(lengths, t);
          kernels::GruCandidateGrad(dh, gates[t], states[t], keep, mask, dx_t,
                                    dh_prev);
          candidate_product.Run(dx_t.Columns(2 * s.h, 3 * s.h), false, drh);
          kernels::GruGatesGrad(drh, gates[t], states[t], mask, dx_t, dh_prev);
          gate_product.Run(dx_t.Columns(0, 2 * s.h), true, dh_prev);
          dh.swap(dh_prev);
        }
        g.AddProduct(2, states.Slice(0, s.t), dx.Columns(0, 2 * s.h));
        g.AddProduct(3, reset, dx.Columns(2 * s.h, 3 * s.h));
        g.Add(0, std::move(dx));
        g.Add(1, std::move(dh));
      });
}

}  // namespace

Var GruSequence(const Var& x, const Var& h0, const GruWeights& weights,
                const Tensor& lengths) {
  return weights.kind == GruKind::kCudnn
             ? GruResetAfter(x, h0, weights, lengths)
             : GruResetBefore(x, h0, weights, lengths);
}

}  // namespace heed
