#include "heed/nn/memory_head.h"

#include <cmath>
#include <utility>

#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/memory.h"
#include "heed/ops/normalizers.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Value of MemoryStart::kConstant. Paper: Collier and Beel 2018.
constexpr double kConstantStart = 1e-6;

/// Parameter repeated for each batch row: [B, ...].
Var Repeated(const Var& parameter, int64_t batch, const Shape& shape) {
  const int64_t n = parameter.shape().numel();
  const Var row = Reshape(parameter, {n});
  return Reshape(
      AddRow(Tensor::Zeros({batch, n}, parameter.value().dtype()), row), shape);
}

}  // namespace

Tensor MemoryState::Slot(int64_t b, int64_t i) const {
  const Tensor own = memory.value().Contiguous()[b];
  return own.Columns(i, i + 1).Contiguous().Reshape({own.dim(0)});
}

void MemoryState::Overwrite(int64_t b, int64_t i, const Tensor& features) {
  Tensor changed = memory.value().Clone();
  Tensor slot = changed[b].Columns(i, i + 1);
  slot.CopyFrom(features.Reshape({slot.dim(0), 1}));
  memory = changed;
}

WritableMemory::WritableMemory(const Scope& scope, const MemoryConfig& config,
                               int64_t write_heads, int64_t read_heads)
    : config_(config), write_heads_(write_heads), read_heads_(read_heads) {
  const int64_t size = config.slots + config.features;
  const Init init = config.start == MemoryStart::kConstant
                        ? Init{Init::Kind::kConstant, kConstantStart}
                        : Init{Init::Kind::kUniform,
                               1 / std::sqrt(static_cast<double>(size))};
  memory_ = &scope.Add("memory", {config.features, config.slots}, init);
  if (config.start != MemoryStart::kLearned) memory_->Freeze();
  if (config.weights == WeightsStart::kLearned) {
    write_weights_ =
        &scope.Add("weights.write", {write_heads, config.slots}, kZeroInit);
    read_weights_ =
        &scope.Add("weights.read", {read_heads, config.slots}, kZeroInit);
  }
  read_ = &scope.Add("read", {read_heads * config.features}, kZeroInit);
}

Var WritableMemory::StartWeights(const Context& ctx, int64_t batch,
                                 int64_t heads,
                                 const Parameter* learned) const {
  const Shape shape = {batch, heads, config_.slots};
  if (learned != nullptr) {
    return Repeated(Softmax(ctx.Use(*learned)), batch, shape);
  }
  Tensor first = Tensor::Zeros(shape, memory_->dtype());
  Tensor column = first.Columns(0, 1);
  column.Fill(1);
  return first;
}

MemoryState WritableMemory::Start(const Context& ctx, int64_t batch) const {
  MemoryState state;
  state.memory = Repeated(ctx.Use(*memory_), batch,
                          {batch, config_.features, config_.slots});
  state.write_weights = StartWeights(ctx, batch, write_heads_, write_weights_);
  state.read_weights = StartWeights(ctx, batch, read_heads_, read_weights_);
  state.read =
      Repeated(ctx.Use(*read_), batch, {batch, read_heads_ * config_.features});
  return state;
}

MemoryHeads::MemoryHeads(const Scope& scope, int64_t control, int64_t heads,
                         const MemoryConfig& config)
    : path_(scope.path()),
      heads_(heads),
      numbers_(scope, control,
               heads * AddressSize(config.features, config.reach),
               kGlorotInit) {}

Var MemoryHeads::Address(const Context& ctx, const Var& control,
                         const Var& previous, const Var& memory) const {
  return AddressMemory(numbers_(ctx, control), previous, memory);
}

void MemoryHeads::Observe(const Context& ctx, const Var& weights,
                          int64_t step) const {
  if (ctx.observer == nullptr) return;
  const AttentionInfo info = {
      .path = path_,
      .score = "cosine",
      .normalizer = "softmax",
      .modifiers = {"strength", "interpolate", "shift", "sharpen_weights"},
      .query_axis = "source",
      .key_axis = "memory",
      .heads = heads_};
  if (!ctx.observer->Wants(info).any()) return;
  const Shape shape = {weights.dim(0), heads_, 1, weights.dim(2)};
  ctx.observer->OnAttention(
      {info, step, Reshape(weights, shape), nullptr, nullptr});
}

MemoryWriter::MemoryWriter(const Scope& scope, int64_t control, int64_t heads,
                           const MemoryConfig& config)
    : heads_(scope / "address", control, heads, config),
      erase_(scope / "erase", control, heads * config.features, kGlorotInit),
      add_(scope / "add", control, heads * config.features, kGlorotInit) {}

MemoryChange MemoryWriter::Write(const Context& ctx, const Var& control,
                                 MemoryState& state) const {
  const Var weights =
      heads_.Address(ctx, control, state.write_weights, state.memory);
  const Var erase = Sigmoid(erase_(ctx, control));
  const Var add = Tanh(add_(ctx, control));
  state.memory = WriteMemory(state.memory, weights, erase, add);
  state.write_weights = weights;
  heads_.Observe(ctx, weights, state.step);
  return {erase.value(), add.value()};
}

MemoryReader::MemoryReader(const Scope& scope, int64_t control, int64_t heads,
                           const MemoryConfig& config)
    : heads_(scope / "address", control, heads, config) {}

Var MemoryReader::Read(const Context& ctx, const Var& control,
                       MemoryState& state) const {
  const Var weights =
      heads_.Address(ctx, control, state.read_weights, state.memory);
  state.read = ReadMemory(state.memory, weights);
  state.read_weights = weights;
  heads_.Observe(ctx, weights, state.step);
  return state.read;
}

}  // namespace heed
