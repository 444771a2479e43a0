#include "heed/models/ntm/ntm.h"

#include <fmt/format.h>

#include <utility>

#include "heed/models/outline_parts.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// The input vectors after an observer saw or replaced them as [B, T, I].
Var ObservedSteps(const Context& ctx, const Var& x) {
  if (!ctx.ObservesInput("source")) return x;
  return TransposeLeading(ctx.Input("source", TransposeLeading(x)));
}

EncoderOptions StackOptions(int64_t layers, int64_t units, int64_t inputs) {
  EncoderOptions options;
  options.cell = Cell::kLstm;
  options.inputs = inputs;
  options.units = units;
  options.layers = layers;
  options.bidirectional = false;
  options.forget_gate_bias = 1;
  return options;
}

}  // namespace

NeuralTuringMachine::NeuralTuringMachine(const Scope& scope,
                                         const ResolvedNtm& config,
                                         int64_t inputs, int64_t outputs)
    : config_(config),
      writer_(scope / "write", config.units, config.write_heads, config.memory),
      reader_(scope / "read", config.units, config.read_heads, config.memory),
      memory_(scope / "start", config.memory, config.write_heads,
              config.read_heads),
      output_(scope / "output", config.units, outputs, kGlorotInit),
      output_read_(
          scope.Add("output_read.weight",
                    {config.read_heads * config.memory.features, outputs},
                    kGlorotInit, ParameterUse::kMatrix)) {
  const int64_t read = config.read_heads * config.memory.features;
  for (int64_t i = 0; i < config.layers; ++i) {
    const Scope own = scope / fmt::format("controller.{}", i);
    if (!recurrent()) {
      dense_.emplace_back(own, i == 0 ? inputs : config.units, config.units,
                          kGlorotInit);
      continue;
    }
    RecurrentOptions options;
    options.cell = Cell::kLstm;
    options.inputs = {i == 0 ? inputs : config.units};
    if (i == 0) options.inputs.push_back(read);
    options.units = config.units;
    options.forget_gate_bias = 1;
    lstms_.emplace_back(own, options);
    start_.push_back(&own.Add("start", {2 * config.units}, kZeroInit));
  }
  if (!recurrent()) {
    dense_read_ = &scope.Add("controller.read.weight", {read, config.units},
                             kGlorotInit, ParameterUse::kMatrix);
  }
}

MachineState NeuralTuringMachine::Start(const Context& ctx,
                                        int64_t batch) const {
  MachineState state;
  state.memory = memory_.Start(ctx, batch);
  const DType dtype = output_read_.dtype();
  for (const Parameter* start : start_) {
    // h and c, concatenated in each row, become [2, B, H].
    const Var rows = AddRow(Tensor::Zeros({batch, 2 * config_.units}, dtype),
                            ctx.Use(*start));
    state.layers.push_back(
        TransposeLeading(Reshape(rows, {batch, 2, config_.units})));
  }
  return state;
}

Var NeuralTuringMachine::ProjectInputs(const Context& ctx, const Var& x) const {
  return recurrent() ? lstms_[0].Project(ctx, x) : dense_[0](ctx, x);
}

Var NeuralTuringMachine::Control(const Context& ctx, const Var& projected,
                                 MachineState& state) const {
  const Var& read = state.memory.read;
  if (!recurrent()) {
    Var o = Tanh(MatMulAdd(projected, read, ctx.Use(*dense_read_)));
    for (size_t i = 1; i < dense_.size(); ++i) o = Tanh(dense_[i](ctx, o));
    return o;
  }
  Var a = lstms_[0].AddProjection(ctx, projected, read, 1);
  for (size_t i = 0; i < lstms_.size(); ++i) {
    if (i > 0) a = lstms_[i].Project(ctx, a);
    const Shape step = {1, a.dim(0), a.dim(1)};
    state.layers[i] =
        lstms_[i].Forward(ctx, Reshape(a, step), state.layers[i], {}).state;
    a = Recurrent::Hidden(state.layers[i]);
  }
  return a;
}

Var NeuralTuringMachine::Run(const Context& ctx, const Var& x,
                             MachineState& state) const {
  const Var projected = ProjectInputs(ctx, ObservedSteps(ctx, x));
  std::vector<Var> controls;
  std::vector<Var> reads;
  for (int64_t t = 0; t < x.dim(0); ++t) {
    ctx.CheckCancelled();
    MemoryState& memory = state.memory;
    const Var o = Control(ctx, Select(projected, t), state);
    const bool before = config_.read_order == ReadOrder::kBefore;
    if (before) reader_.Read(ctx, o, memory);
    const MemoryChange change = writer_.Write(ctx, o, memory);
    if (!before) reader_.Read(ctx, o, memory);
    ++memory.step;
    controls.push_back(o);
    reads.push_back(memory.read);
    if (state.trace != nullptr) {
      state.trace->push_back({change.erase, change.add,
                              memory.write_weights.value(), memory.read.value(),
                              memory.read_weights.value()});
    }
  }
  return MatMulAdd(output_(ctx, Stack(controls)), Stack(reads),
                   ctx.Use(output_read_));
}

ModelOutline NeuralTuringMachine::Outline() const {
  using Kind = OutlinePart::Kind;
  const MemoryConfig& memory = config_.memory;
  const auto heads = [](int64_t count, const char* what) {
    return fmt::format("{} {} head{}", count, what, count == 1 ? "" : "s");
  };
  const bool before = config_.read_order == ReadOrder::kBefore;
  OutlinePart control = {Kind::kEach,   "controller",
                         config_.units, "",
                         "oᵢ",          "tanh(W [{xᵢ}; {rᵢ₋₁}] + b)"};
  if (recurrent()) {
    control.kind = Kind::kForward;
    control.name = "controller, LSTM";
    control.formula = "LSTM([{xᵢ}; {rᵢ₋₁}], {oᵢ₋₁})";
  }
  if (config_.layers > 1) {
    control.detail = fmt::format("{} layers", config_.layers);
  }
  const OutlinePart written = {
      Kind::kForward,
      "memory",
      memory.slots * memory.features,
      fmt::format("{} in each of {} slots, {}", memory.features, memory.slots,
                  heads(config_.write_heads, "write")),
      "Mᵢ",
      "{Mᵢ₋₁} ∘ Π (1 − w eᵀ) + Σ w aᵀ, of each write head, by {oᵢ}"};
  const OutlinePart reading = {Kind::kEach,
                               "what is read",
                               config_.read_heads * memory.features,
                               heads(config_.read_heads, "read"),
                               "rᵢ",
                               before ? "wᵀ {Mᵢ₋₁}, of each read head, by {oᵢ}"
                                      : "wᵀ {Mᵢ}, of each read head, by {oᵢ}"};
  const OutlinePart output = {
      Kind::kEach, "linear", output_.weight().value().dim(1),
      "",          "yᵢ",     "W [{oᵢ}; {rᵢ}] + b"};
  OutlineSequence machine = {.name = "machine", .axis = "source"};
  machine.blocks = {{{control}}, {{written}}, {{reading}}, {{output}}};
  if (before) std::swap(machine.blocks[1], machine.blocks[2]);
  return {{}, {std::move(machine)}};
}

LstmMachine::LstmMachine(const Scope& scope, int64_t layers, int64_t units,
                         int64_t inputs, int64_t outputs)
    : layers_(layers),
      units_(units),
      stack_(scope / "layers", StackOptions(layers, units, inputs)),
      output_(scope / "output", units, outputs, kGlorotInit) {
  dtype_ = output_.weight().dtype();
}

MachineState LstmMachine::Start(const Context& /*ctx*/, int64_t batch) const {
  MachineState state;
  for (int64_t i = 0; i < layers_; ++i) {
    state.layers.push_back(Tensor::Zeros({2, batch, units_}, dtype_));
  }
  return state;
}

Var LstmMachine::Run(const Context& ctx, const Var& x,
                     MachineState& state) const {
  EncoderResult result =
      stack_(ctx, ObservedSteps(ctx, x), Tensor(), state.layers);
  state.layers = result.states;
  return output_(ctx, result.outputs);
}

ModelOutline LstmMachine::Outline() const {
  OutlineSequence machine = {.name = "machine", .axis = "source"};
  machine.blocks = {
      {{{OutlinePart::Kind::kForward, "LSTM", units_, "", "hᵢ"}}, layers_},
      OutputOutline("linear", output_.weight().value().dim(1))};
  return {{}, {std::move(machine)}};
}

}  // namespace heed
