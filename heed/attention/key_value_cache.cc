// What attentions keep in the state of a decoder: keys and values of all
// positions so far, and of the source.
//
// Any score can do with a Memory, whose rows are copied when a search moves
// them. Where step kernels can do it, keys and values of a position stay where
// they were written, and rows and sources are moved by their numbers alone.
#include <algorithm>
#include <utility>

#include "heed/attention/attention.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// As they are kept: half as long where products are rounded anyway, because
/// reading them is what takes the time.
Tensor Stored(const Tensor& pairs, kernels::Precision precision) {
  if (precision == kernels::Precision::kNative) return pairs;
  Tensor stored(pairs.shape(), DType::kBF16);
  kernels::ToBF16(pairs, stored);
  return stored;
}

/// Position T − 1 of each row. Shapes: x [R, T, S], result [R, S].
Tensor LastOfEach(const Tensor& x) {
  if (x.dim(1) == 1) return x.Reshape({x.dim(0), x.dim(2)});
  Tensor last({x.dim(0), x.dim(2)}, x.dtype());
  for (int64_t r = 0; r < x.dim(0); ++r) last[r].CopyFrom(x[r][x.dim(1) - 1]);
  return last;
}

}  // namespace

/// Whether score, modifiers and normaliser are what the kernels of single
/// steps compute, and nobody wants to see more than they tell.
bool Attention::StepsByKernel(const Context& ctx, const Tensor& x) const {
  return ctx.tape == nullptr && ctx.observer == nullptr && !ctx.training &&
         x.dtype() == DType::kF32 && key_ == value_ && score_->steps() &&
         normalizer_->fused() &&
         std::ranges::all_of(modifiers_,
                             [](const auto& m) { return m->steps(); });
}

kernels::StepQueries Attention::StepQueriesOf(const Context& ctx,
                                              const Tensor& q) const {
  return {q, sizes_.heads, sizes_.key_heads,
          score_->Fused(ctx, DType::kF32)->value};
}

Var Attention::AttendSelf(const Context& ctx, const Var& qkv, const Mask& mask,
                          DecoderState* state) const {
  const bool kept = state != nullptr && !state->whole;
  if (kept && mask_.causal() && state->Find(names_.keys) == nullptr &&
      StepsByKernel(ctx, qkv.value())) {
    return SelfSteps(ctx, qkv.value(), *state);
  }
  const Var q = Columns(qkv, 0, query_);
  const Var k = Columns(qkv, query_, query_ + key_);
  const Var v = Columns(qkv, query_ + key_, query_ + key_ + value_);
  if (kept) return AttendNext(ctx, q, k, v, *state);
  return Attend(ctx, q, Prepare(ctx, k, v, mask)).context;
}

/// The context of T positions, one after the other. Modifiers turn what is in
/// qkv.
Tensor Attention::SelfSteps(const Context& ctx, const Tensor& qkv,
                            DecoderState& state) const {
  const int64_t R = qkv.dim(0);
  const int64_t T = qkv.dim(1);
  const int64_t columns = qkv.dim(2);
  for (const auto& modifier : modifiers_) {
    Tensor turned = qkv.Reshape({R * T, columns}).Columns(0, query_ + key_);
    modifier->TurnRows(T, sizes_.query, state.position, turned);
  }
  const Tensor& slots = state.Slots(state.position + T);
  const Tensor steps = qkv.Reshape({R, T * columns});
  std::vector<Tensor>& positions = state.Positions(names_.pairs);
  Tensor all;
  for (int64_t t = 0; t < T; ++t) {
    const int64_t first = t * columns;
    positions.push_back(Stored(steps.Columns(first + query_, first + columns),
                               state.precision));
    const Tensor context = kernels::AttendPositions(
        StepQueriesOf(ctx, steps.Columns(first, first + query_)), positions,
        slots);
    if (T == 1) return context.Reshape({R, 1, query_});
    if (t == 0) all = Tensor({R, T * query_});
    Tensor own = all.Columns(t * query_, (t + 1) * query_);
    own.CopyFrom(context);
  }
  return all.Reshape({R, T, query_});
}

Var Attention::AttendNext(const Context& ctx, const Var& query, const Var& keys,
                          const Var& values, DecoderState& state) const {
  Var& old_keys = state.At(names_.keys, StateRole::kRow);
  Var& old_values = state.At(names_.values, StateRole::kRow);
  Memory memory;
  memory.keys = std::exchange(old_keys, Var());
  memory.values = std::exchange(old_values, Var());
  memory.mask = mask_;
  memory.filled = state.position;
  memory = Extend(ctx, std::move(memory), keys, values);
  Var context = AttendKept(ctx, query, memory, state, WantWeights::kNo).context;
  old_keys = std::move(memory.keys);
  old_values = std::move(memory.values);
  return context;
}

/// Attend, by what the state knows of the queries before.
Attended Attention::AttendKept(const Context& ctx, const Var& query,
                               const Memory& memory, DecoderState& state,
                               WantWeights want) const {
  AttentionState own;
  own.position = state.position;
  if (history_) own.previous = state.At(names_.previous, StateRole::kRow);
  Attended attended = Attend(ctx, query, memory, &own, want);
  if (history_) state.At(names_.previous, StateRole::kRow) = own.previous;
  return attended;
}

bool Attention::HasSource(const DecoderState& state) const {
  return state.Find(names_.pairs) != nullptr ||
         state.Find(names_.values) != nullptr;
}

void Attention::KeepSource(const Context& ctx, const Var& keys,
                           const Var& values, const Tensor& lengths,
                           DecoderState& state) const {
  const StateRole role =
      independent() ? StateRole::kSource : StateRole::kRepeated;
  Memory memory = Prepare(ctx, keys, values);
  state.At(names_.keys, role) = std::move(memory.keys);
  state.At(names_.values, role) = std::move(memory.values);
  if (lengths.defined()) state.At(names_.lengths, role) = lengths;
}

void Attention::KeepSource(const Context& ctx, const Var& pairs,
                           const Tensor& lengths, DecoderState& state) const {
  if (state.whole || !independent() || !StepsByKernel(ctx, pairs.value())) {
    KeepSource(ctx, Columns(pairs, 0, key_),
               Columns(pairs, key_, key_ + value_), lengths, state);
    return;
  }
  state.At(names_.pairs, StateRole::kFixed) =
      Stored(pairs.value(), state.precision);
  state.At(names_.lengths, StateRole::kFixed) =
      lengths.defined()
          ? lengths
          : Tensor::Full({pairs.dim(0)}, static_cast<double>(pairs.dim(1)),
                         DType::kI32);
}

Var Attention::AttendSource(const Context& ctx, const Var& query,
                            DecoderState& state, bool show,
                            int64_t head) const {
  const int64_t R = query.dim(0);
  const int64_t T = query.dim(1);
  const Var* lengths = state.Find(names_.lengths);
  if (const Var* pairs = state.Find(names_.pairs)) {
    const Tensor rows = query.value().Reshape({R * T, query_});
    Tensor weights;
    const Tensor context = kernels::AttendSource(
        StepQueriesOf(ctx, rows), pairs->value(), lengths->value(),
        state.Sources(), show ? &weights : nullptr, head);
    if (show) {
      state.weights = LastOfEach(weights.Reshape({R, T, weights.dim(1)}));
    }
    return context.Reshape({R, T, query_});
  }
  Memory memory;
  memory.keys = *state.Find(names_.keys);
  memory.values = *state.Find(names_.values);
  memory.mask = lengths == nullptr ? mask_ : mask_ && Padding(lengths->value());
  // Rows of one source are queries of one memory where that makes no
  // difference: [R, T, M] is then [B, n T, M].
  const int64_t B = memory.values.dim(0);
  const Var q = B == R ? query : Reshape(query, {B, R / B * T, query.dim(2)});
  const WantWeights want = show ? WantWeights::kValues : WantWeights::kNo;
  const Attended attended = AttendKept(ctx, q, memory, state, want);
  if (show) {
    const Tensor weights = HeadWeights(attended.weights.value(), head);
    state.weights = LastOfEach(weights.Reshape({R, T, weights.dim(2)}));
  }
  return B == R ? attended.context
                : Reshape(attended.context, {R, T, attended.context.dim(2)});
}

Tensor HeadWeights(const Tensor& weights, int64_t head) {
  const int64_t B = weights.dim(0);
  const int64_t H = weights.dim(1);
  const Shape shape = {B, weights.dim(2), weights.dim(3)};
  if (H == 1) return weights.Reshape(shape);
  Tensor look = Tensor::Zeros(shape, weights.dtype());
  for (int64_t b = 0; b < B; ++b) {
    Tensor own = look[b];
    if (head >= 0) {
      own.CopyFrom(weights[b][head]);
      continue;
    }
    for (int64_t h = 0; h < H; ++h) {
      kernels::AddTo(own, weights[b][h], 1 / static_cast<double>(H));
    }
  }
  return look;
}

}  // namespace heed
