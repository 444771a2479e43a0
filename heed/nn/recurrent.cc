#include "heed/nn/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

int64_t GatesOf(Cell cell) {
  if (cell == Cell::kRnn) return 1;
  if (cell == Cell::kLstm || cell == Cell::kNestedLstm) return 4;
  return 3;
}

GruKind GruKindOf(Cell cell) {
  if (cell == Cell::kGruCho) return GruKind::kCho;
  return cell == Cell::kGruBahdanau ? GruKind::kBahdanau : GruKind::kCudnn;
}

/// Number of steps between checks for cancellation: about 0.05 s for one row.
int64_t StepsUntilCancelled(int64_t units) {
  constexpr int64_t kMaxSteps = 128;
  constexpr int64_t kWeightsRead = int64_t{1} << 25;  // of each gate
  return std::clamp<int64_t>(kWeightsRead / (units * units), 1, kMaxSteps);
}

/// Concatenates parts of a sequence along time. Shapes: parts [steps, B, M].
Var JoinSteps(const std::vector<Var>& parts) {
  std::vector<Var> rows;
  int64_t steps = 0;
  for (const Var& part : parts) {
    rows.push_back(Reshape(part, {1, part.shape().numel()}));
    steps += part.dim(0);
  }
  return Reshape(ConcatColumns(rows),
                 {steps, parts.front().dim(1), parts.front().dim(2)});
}

/// Lengths restricted to the steps [begin, end).
Tensor PartOfLengths(const Tensor& lengths, int64_t begin, int64_t end) {
  if (!lengths.defined()) return {};
  Tensor part(lengths.shape(), DType::kI32);
  for (int64_t b = 0; b < lengths.numel(); ++b) {
    part.data<int32_t>()[b] = static_cast<int32_t>(
        std::clamp<int64_t>(lengths.data<int32_t>()[b], begin, end) - begin);
  }
  return part;
}

/// Names of a stack's states in a DecoderState; cached for all steps.
const std::vector<std::string>& LayerNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int i = 0; i < kMaxLayers; ++i) {
      all.push_back(fmt::format("layers.{}", i));
    }
    return all;
  }();
  return names;
}

}  // namespace

int64_t StatesOfCell(Cell cell) {
  if (cell == Cell::kNestedLstm) return 3;
  return cell == Cell::kLstm ? 2 : 1;
}

Recurrent::Recurrent(const Scope& scope, const RecurrentOptions& o)
    : cell_(o.cell), units_(o.units) {
  const int64_t gates = GatesOf(cell_) * units_;
  for (size_t i = 0; i < o.inputs.size(); ++i) {
    input_.push_back(&scope.Add(fmt::format("input.{}.weight", i),
                                {o.inputs[i], gates}, o.input_init,
                                ParameterUse::kMatrix));
  }
  bias_ = &scope.Add("bias", {gates}, kZeroInit);
  if (cell_ == Cell::kGruCho || cell_ == Cell::kGruBahdanau) {
    recurrent_ = &scope.Add("recurrent.weight", {units_, 2 * units_},
                            o.recurrent_init, ParameterUse::kMatrix);
    candidate_ = &scope.Add("candidate.weight", {units_, units_},
                            o.recurrent_init, ParameterUse::kMatrix);
  } else {
    recurrent_ = &scope.Add("recurrent.weight", {units_, gates},
                            o.recurrent_init, ParameterUse::kMatrix);
  }
  if (cell_ == Cell::kGru)
    recurrent_bias_ = &scope.Add("recurrent.bias", {gates}, kZeroInit);
  if (cell_ == Cell::kNestedLstm) {
    inner_ = &scope.Add("inner.weight", {2 * units_, gates}, o.recurrent_init,
                        ParameterUse::kMatrix);
    inner_bias_ = &scope.Add("inner.bias", {gates}, kZeroInit);
  }
  if (o.forget_gate_bias != 0 && cell_ != Cell::kRnn) {
    // f, or z: the second gate of every cell.
    const double keep =
        cell_ == Cell::kGruBahdanau ? -o.forget_gate_bias : o.forget_gate_bias;
    for (Parameter* bias : {bias_, inner_bias_}) {
      if (bias == nullptr) continue;
      bias->mutable_value().Slice(units_, 2 * units_).Fill(keep);
    }
  }
}

Var Recurrent::Project(const Context& ctx, const Var& x) const {
  return Affine(x, ctx.Use(*input_[0]), ctx.Use(*bias_));
}

Var Recurrent::AddProjection(const Context& ctx, Var sum, const Var& x,
                             int input) const {
  return MatMulAdd(std::move(sum), x, ctx.Use(*At(input_, input)));
}

Var Recurrent::InitialState(int64_t batch, DType dtype) const {
  const int64_t states = StatesOfCell(cell_);
  return states == 1 ? Tensor::Zeros({batch, units_}, dtype)
                     : Tensor::Zeros({states, batch, units_}, dtype);
}

Var Recurrent::Hidden(const Var& state) {
  return state.shape().rank() == 3 ? Select(state, 0) : state;
}

RecurrentResult Recurrent::Forward(const Context& ctx, const Var& projected,
                                   const Var& state, const Tensor& lengths,
                                   const Var& inner) const {
  const int64_t steps = StepsUntilCancelled(units_);
  if (ctx.cancellation == nullptr || projected.dim(0) <= steps) {
    return Run(ctx, projected, state, lengths, inner);
  }
  Var last = state;
  std::vector<Var> outputs;
  for (int64_t t = 0; t < projected.dim(0); t += steps) {
    ctx.CheckCancelled();
    const int64_t end = std::min(t + steps, projected.dim(0));
    const RecurrentResult part = Run(ctx, Slice(projected, t, end), last,
                                     PartOfLengths(lengths, t, end), inner);
    outputs.push_back(part.outputs);
    last = part.state;
  }
  return {JoinSteps(outputs), last};
}

RecurrentResult Recurrent::Run(const Context& ctx, const Var& projected,
                               const Var& state, const Tensor& lengths,
                               const Var& inner) const {
  const int64_t steps = projected.dim(0);
  const Var recurrent = ctx.Use(*recurrent_);
  if (const int64_t states = StatesOfCell(cell_); states > 1) {
    const Var all = inner_ == nullptr
                        ? LstmSequence(projected, state, recurrent, lengths)
                        : NestedLstmSequence(projected, state,
                                             {recurrent, ctx.Use(*inner_),
                                              ctx.Use(*inner_bias_)},
                                             lengths);
    return {Slice(all, 0, steps), Slice(all, steps - 1, steps - 1 + states)};
  }
  Var outputs;
  if (cell_ == Cell::kRnn) {
    outputs = RnnSequence(projected, state, recurrent, lengths);
  } else {
    GruWeights weights;
    weights.kind = GruKindOf(cell_);
    weights.gates = recurrent;
    if (candidate_ != nullptr) weights.candidate = ctx.Use(*candidate_);
    if (recurrent_bias_ != nullptr) weights.bias = ctx.Use(*recurrent_bias_);
    weights.inner = inner;
    outputs = GruSequence(projected, state, weights, lengths);
  }
  return {outputs, Select(outputs, steps - 1)};
}

Var StateOf(const Var& x, int64_t vectors) {
  if (vectors == 1) return x;
  const int64_t units = x.dim(-1) / vectors;
  std::vector<Var> parts;
  for (int64_t i = 0; i < vectors; ++i) {
    parts.push_back(Columns(x, i * units, (i + 1) * units));
  }
  return Stack(parts);
}

Var AddTimeAxis(const Var& x) { return Reshape(x, {1, x.dim(0), x.dim(1)}); }
Var DropTimeAxis(const Var& x) { return Reshape(x, {x.dim(1), x.dim(2)}); }

Var ObservedSteps(const Context& ctx, const std::string& name, const Var& x) {
  if (!ctx.ObservesInput(name)) return x;
  return TransposeLeading(ctx.Input(name, TransposeLeading(x)));
}

Var SequenceDropout(const Context& ctx, const Var& x, double rate,
                    bool variational) {
  return variational ? StepDropout(ctx, x, rate) : Dropout(ctx, x, rate);
}

RecurrentEncoder::RecurrentEncoder(const Scope& scope, const EncoderOptions& o)
    : options_(o) {
  const auto add = [&](std::vector<Recurrent>& stack, const char* direction,
                       int64_t layer, int64_t width) {
    stack.emplace_back(scope / fmt::format("{}.{}", direction, layer),
                       RecurrentOptions{o.cell,
                                        {width},
                                        o.units,
                                        o.input_init,
                                        o.recurrent_init,
                                        o.forget_gate_bias});
  };
  int64_t width = o.inputs;
  for (int64_t layer = 0; layer < o.layers; ++layer) {
    add(forward_, "forward", layer, width);
    if (o.bidirectional) add(backward_, "backward", layer, width);
    width = output_size();
  }
}

int64_t RecurrentEncoder::output_size() const {
  return options_.units * (options_.bidirectional ? 2 : 1);
}

EncoderResult RecurrentEncoder::operator()(const Context& ctx, const Var& x,
                                           const Tensor& lengths,
                                           const LayerStates& initial) const {
  EncoderResult result;
  Var layer_input = x;
  const auto run = [&](const Recurrent& layer, const Var& in,
                       const Var& state) {
    return layer.Forward(ctx, layer.Project(ctx, in), state, lengths);
  };
  for (size_t i = 0; i < forward_.size(); ++i) {
    ctx.CheckCancelled();
    if (i > 0) {
      layer_input = SequenceDropout(ctx, layer_input, options_.dropout,
                                    options_.variational);
    }
    const Var zeros = forward_[i].InitialState(x.dim(1), x.value().dtype());
    const RecurrentResult forward =
        run(forward_[i], layer_input, initial.empty() ? zeros : initial[i]);
    result.states.push_back(forward.state);
    if (!options_.bidirectional) {
      layer_input = forward.outputs;
      continue;
    }
    const RecurrentResult backward =
        run(backward_[i], ReverseByLength(layer_input, lengths), zeros);
    result.backward_states.push_back(backward.state);
    layer_input = ConcatColumns(
        {forward.outputs, ReverseByLength(backward.outputs, lengths)});
  }
  result.outputs = layer_input;
  return result;
}

void KeepLayers(const LayerStates& layers, DecoderState& state) {
  for (size_t i = 0; i < layers.size(); ++i) {
    const int axis = layers[i].shape().rank() == 3 ? 1 : 0;
    state.At(LayerNames()[i], StateRole::kRow, axis) = layers[i];
  }
}

LayerStates KeptLayers(const DecoderState& state) {
  LayerStates layers;
  while (layers.size() < kMaxLayers) {
    const Var* layer = state.Find(LayerNames()[layers.size()]);
    if (layer == nullptr) break;
    layers.push_back(*layer);
  }
  return layers;
}

}  // namespace heed
