// Queries that come in steps. Where kernels of single steps apply, keys and
// values of a decoder stay where they were written, and a beam search moves
// only row numbers.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "heed/attention/attention.h"
#include "heed/kernels/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Keys and values in one row, as a decoder caches them: in bf16 where products
/// round anyway, because reading them is memory-bound.
Tensor SideBySide(const Tensor& keys, const Tensor& values,
                  kernels::Precision precision) {
  Tensor pairs = kernels::ConcatColumns(std::array{keys, values});
  if (precision == kernels::Precision::kNative) return pairs;
  Tensor stored(pairs.shape(), DType::kBF16);
  kernels::ToBF16(pairs, stored);
  return stored;
}

/// Widens `slots` to `count` positions, of which `known` exist; new positions
/// are stored in the current rows.
void Widen(int64_t rows, int64_t known, int64_t count, Tensor& slots) {
  constexpr int64_t kFewPositions = 32;
  if (!slots.defined() || slots.dim(1) < count) {
    Tensor wider({rows, std::max(kFewPositions, 2 * count)}, DType::kI32);
    for (int64_t r = 0; r < rows && known > 0; ++r) {
      std::copy_n(slots.row<int32_t>(r), known, wider.row<int32_t>(r));
    }
    slots = wider;
  }
  for (int64_t r = 0; r < rows; ++r) {
    std::fill(slots.row<int32_t>(r) + known, slots.row<int32_t>(r) + count,
              static_cast<int32_t>(r));
  }
}

/// Query t of [B, T, M] as [B, 1, M].
Var StepOf(const Var& time_first, int64_t t) {
  const Var step = Select(time_first, t);
  return Reshape(step, {step.dim(0), 1, step.dim(1)});
}

}  // namespace

Attended Attention::Attend(const Context& ctx, const Var& query, Memory* memory,
                           const AttendOptions& options) const {
  if (!memory->positions.empty()) {
    return AttendPositions(ctx, query.value(), *memory);
  }
  if (memory->pairs.defined()) {
    memory->position += query.dim(1);
    return AttendPairs(ctx, query.value(), *memory, options);
  }
  // Rows of one source become queries of one memory where the result is equal:
  // [R, T, M] is then [B, n T, M].
  const int64_t sources = memory->values.dim(0);
  const int64_t rows = query.defined() ? query.dim(0) : sources;
  if (rows == sources || memory->role != StateRole::kSource) {
    return AttendFrom(ctx, query, *memory, memory, options);
  }
  const int64_t steps = query.dim(1);
  const Var joined =
      Reshape(query, {sources, rows / sources * steps, query.dim(2)});
  AttendOptions wanted = options;
  wanted.last.reset();
  if (options.last) wanted.want = std::max(options.want, WantWeights::kValues);
  Attended attended = AttendFrom(ctx, joined, *memory, nullptr, wanted);
  memory->position += steps;
  attended.context =
      Reshape(attended.context, {rows, steps, attended.context.dim(2)});
  if (options.last) {
    const Tensor weights = HeadWeights(attended.weights.value(), *options.last);
    attended.last = LastOfEach(weights.Reshape({rows, steps, weights.dim(2)}));
  }
  return attended;
}

Attended Attention::StepByStep(const Context& ctx, const Var& query,
                               const Memory& memory, Memory* left,
                               const AttendOptions& options) const {
  const int64_t batch = query.dim(0);
  if (query.dim(1) == 0) return Nothing(batch, memory, options.want);
  Memory own;
  if (left == nullptr) left = &own;
  const Var steps = TransposeLeading(query);
  std::vector<Var> contexts;
  std::vector<Var> weights;
  std::vector<Var> log_probabilities;
  std::vector<Var> entropies;
  const auto keep = [](std::vector<Var>& all, const Var& x) {
    if (!x.defined()) return;
    all.push_back(Reshape(x, {x.value().rows(), x.dim(-1)}));
  };
  for (int64_t t = 0; t < query.dim(1); ++t) {
    const Attended step =
        AttendStep(ctx, StepOf(steps, t), memory, left, options);
    ++left->position;
    keep(contexts, step.context);
    keep(weights, step.weights);
    keep(log_probabilities, step.log_probability);
    keep(entropies, step.entropy);
  }
  const auto join = [](const std::vector<Var>& all) {
    return all.empty() ? Var() : TransposeLeading(Stack(all));
  };
  const auto by_head = [&](const std::vector<Var>& all) {
    Var joined = join(all);
    if (!joined.defined()) return joined;
    return joined.dim(2) == 1 && &all != &weights
               ? Reshape(joined, {batch, sizes_.heads, query.dim(1)})
               : Reshape(joined,
                         {batch, sizes_.heads, query.dim(1), joined.dim(2)});
  };
  return {.context = join(contexts),
          .weights = by_head(weights),
          .log_probability = by_head(log_probabilities),
          .entropy = by_head(entropies)};
}

/// Result for T = 0.
Attended Attention::Nothing(int64_t batch, const Memory& memory,
                            WantWeights want) const {
  const DType dtype = memory.computed_in();
  const int64_t width = value_ / sizes_.key_heads;
  Attended nothing;
  nothing.context = Tensor({batch, 0, sizes_.heads * width}, dtype);
  if (want != WantWeights::kNo) {
    nothing.weights = Tensor({batch, sizes_.heads, 0, memory.size()}, dtype);
  }
  return nothing;
}

/// Extends `known`, weights of steps before, to the current keys; before the
/// first step key 0 has weight `at_first`, the others 0.
Var Attention::Extended(const Var& known, int64_t batch, const Memory& memory,
                        double at_first) const {
  const int64_t keys = memory.values.dim(1);
  const DType dtype = memory.computed_in();
  if (!known.defined()) {
    Tensor first = Tensor::Zeros({batch * sizes_.heads, keys}, dtype);
    if (keys > 0) first.Columns(0, 1).Fill(at_first);
    return first;
  }
  if (known.dim(1) == keys) return known;
  return ConcatColumns(
      {known, Tensor::Zeros({known.dim(0), keys - known.dim(1)}, dtype)});
}

/// True if the kernels of single steps compute score, modifiers and normaliser,
/// and the caller requests no more than they return.
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

Memory Attention::Prepare(const Context& ctx, const Var& keys,
                          const Var& values, const Tensor& lengths,
                          const DecoderState& state) const {
  if (state.whole || !independent() || !StepsByKernel(ctx, keys.value())) {
    Memory memory = Prepare(ctx, keys, values);
    memory.lengths = lengths;
    memory.role = independent() ? StateRole::kSource : StateRole::kRepeated;
    return memory;
  }
  CheckSource(keys, values);
  const int64_t sources = keys.dim(0);
  Memory memory;
  memory.pairs = SideBySide(keys.value(), values.value(), state.precision);
  memory.lengths =
      lengths.defined()
          ? lengths
          : Tensor::Full({sources}, static_cast<double>(keys.dim(1)),
                         DType::kI32);
  memory.role = StateRole::kFixed;
  memory.sources = Tensor({sources}, DType::kI32);
  std::iota(memory.sources.data<int32_t>(),
            memory.sources.data<int32_t>() + sources, 0);
  return memory;
}

void Attention::AppendPositions(const Tensor& keys, const Tensor& values,
                                Memory& memory) const {
  const int64_t rows = keys.dim(0);
  const int64_t steps = keys.dim(1);
  const int64_t known = std::ssize(memory.positions);
  const Tensor pairs = SideBySide(Turn(keys, known), values, memory.precision);
  const int64_t columns = pairs.dim(2);
  const Tensor by_row = pairs.Reshape({rows, steps * columns});
  for (int64_t t = 0; t < steps; ++t) {
    memory.positions.push_back(by_row.Columns(t * columns, (t + 1) * columns));
  }
  Widen(rows, known, known + steps, memory.slots);
}

/// Applies TurnRows of the modifiers to `x` [R, T, M] at `position`.
Tensor Attention::Turn(const Tensor& x, int64_t position) const {
  if (modifiers_.empty()) return x;
  Tensor turned = x.Clone();
  Tensor rows = turned.Reshape({x.dim(0) * x.dim(1), x.dim(2)});
  for (const auto& modifier : modifiers_) {
    modifier->TurnRows(x.dim(1), sizes_.query, position, rows);
  }
  return turned;
}

/// Each query sees its own position and those before it in the mask's band.
Attended Attention::AttendPositions(const Context& ctx, const Tensor& query,
                                    Memory& memory) const {
  const int64_t rows = query.dim(0);
  const int64_t steps = query.dim(1);
  const Tensor turned =
      Turn(query, memory.position).Contiguous().Reshape({rows, steps * query_});
  const std::span<const Tensor> positions = memory.positions;
  Tensor all;
  for (int64_t t = 0; t < steps; ++t) {
    const int64_t begin = t * query_;
    const int64_t own = memory.position + t;
    const int64_t first = std::max<int64_t>(0, own - mask_.band()->before);
    const Tensor context = kernels::AttendPositions(
        StepQueriesOf(ctx, turned.Columns(begin, begin + query_)),
        positions.subspan(static_cast<size_t>(first),
                          static_cast<size_t>(own + 1 - first)),
        memory.slots.Columns(first, own + 1));
    if (steps == 1) {
      all = context;
      continue;
    }
    if (t == 0) all = Tensor({rows, steps * query_});
    Tensor written = all.Columns(begin, begin + query_);
    written.CopyFrom(context);
  }
  memory.position += steps;
  return {.context = all.Reshape({rows, steps, query_})};
}

Attended Attention::AttendPairs(const Context& ctx, const Tensor& query,
                                const Memory& memory,
                                const AttendOptions& options) const {
  const int64_t rows = query.dim(0);
  const int64_t steps = query.dim(1);
  Tensor weights;
  const Tensor context = kernels::AttendSource(
      StepQueriesOf(ctx, query.Contiguous().Reshape({rows * steps, query_})),
      memory.pairs, memory.lengths, memory.sources,
      options.last ? &weights : nullptr, options.last.value_or(-1));
  Attended attended = {.context = context.Reshape({rows, steps, query_})};
  if (options.last) {
    attended.last = LastOfEach(weights.Reshape({rows, steps, weights.dim(1)}));
  }
  return attended;
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

Tensor LastOfEach(const Tensor& x) {
  if (x.dim(1) == 1) return x.Reshape({x.dim(0), x.dim(2)});
  Tensor last({x.dim(0), x.dim(2)}, x.dtype());
  for (int64_t r = 0; r < x.dim(0); ++r) last[r].CopyFrom(x[r][x.dim(1) - 1]);
  return last;
}

}  // namespace heed
