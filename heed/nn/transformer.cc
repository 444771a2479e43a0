#include "heed/nn/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/kernels/rotary.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

int64_t KeyHeads(const TransformerOptions& o) {
  return o.key_heads == 0 ? o.heads : o.key_heads;
}

/// Features of all keys together.
int64_t KeyWidth(const TransformerOptions& o) {
  return o.width / o.heads * KeyHeads(o);
}

AttentionSpec SpecOf(const Scope& scope, const TransformerOptions& o) {
  AttentionSpec spec;
  spec.score = o.score;
  spec.modifiers = o.modifiers;
  spec.normalizer = o.normalizer;
  spec.dropout = o.attention_dropout;
  spec.heads = o.heads;
  spec.key_heads = o.key_heads;
  spec.query = o.width;
  spec.key = KeyWidth(o);
  spec.units = o.width / o.heads;
  spec.positions = o.positions;
  spec.init = o.init;
  spec.precision = o.precision;
  spec.output = (scope / "output" / "weight").path();
  return spec;
}

/// To a source, which a position that reads one token writes the next by.
AttentionSpec CrossSpec(const Scope& scope, const TransformerOptions& o) {
  AttentionSpec spec = SpecOf(scope, o);
  spec.query_axis = "target";
  spec.key_axis = "source";
  return spec;
}

AttentionSpec SelfSpec(const Scope& scope, const TransformerOptions& o) {
  AttentionSpec spec = SpecOf(scope, o);
  spec.query_axis = spec.key_axis = o.input;
  spec.modifiers.insert(spec.modifiers.end(), o.self_modifiers.begin(),
                        o.self_modifiers.end());
  spec.mask = o.causal ? Causal() && o.mask : o.mask;
  return spec;
}

/// True if rotary positions are all that modifies self attention.
bool IsRotary(const TransformerOptions& o) {
  return o.self_modifiers.size() == 1 &&
         o.self_modifiers[0].info.name == "rotary";
}

/// Rows `rows` of the batch; of a memory that grows, what is there of them.
Memory SelectRows(const Memory& memory, const Tensor& rows) {
  Memory selected;
  selected.mask = memory.mask.Select(rows);
  selected.filled = memory.filled;
  const int64_t filled = memory.size();
  const auto select = [&](const Tensor& all) {
    Tensor x({rows.numel(), all.dim(1), all.dim(2)}, all.dtype());
    ParallelFor(rows.numel(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Tensor row = x[i];
        row.Slice(0, filled).CopyFrom(
            all[rows.data<int32_t>()[i]].Slice(0, filled));
        if (filled < all.dim(1)) row.Slice(filled, all.dim(1)).Fill(0);
      }
    });
    return x;
  };
  selected.keys = select(memory.keys.value());
  selected.values = select(memory.values.value());
  return selected;
}

/// Position T − 1 of each row. Shapes: x [R, T, S], result [R, S].
Tensor LastOfEach(const Tensor& x) {
  if (x.dim(1) == 1) return x.Reshape({x.dim(0), x.dim(2)});
  Tensor last({x.dim(0), x.dim(2)}, x.dtype());
  for (int64_t r = 0; r < x.dim(0); ++r) last[r].CopyFrom(x[r][x.dim(1) - 1]);
  return last;
}

/// Tells that in `count` more positions each of R rows stands at its own place.
void AppendSlots(int64_t R, int64_t position, int64_t count, Tensor& slots) {
  constexpr int64_t kFewPositions = 32;
  if (!slots.defined() || slots.dim(1) < position + count) {
    Tensor wider({R, std::max(kFewPositions, 2 * (position + count))},
                 DType::kI32);
    for (int64_t r = 0; r < R && position > 0; ++r) {
      std::copy_n(slots.row<int32_t>(r), position, wider.row<int32_t>(r));
    }
    slots = std::move(wider);
  }
  for (int64_t r = 0; r < R; ++r) {
    std::fill_n(slots.row<int32_t>(r) + position, count,
                static_cast<int32_t>(r));
  }
}

/// True if that leaves `count` rows as they are.
bool Same(const Tensor& rows, int64_t count) {
  if (rows.numel() != count) return false;
  for (int64_t i = 0; i < count; ++i) {
    if (rows.data<int32_t>()[i] != i) return false;
  }
  return true;
}

}  // namespace

void TransformerState::Reorder(const Tensor& rows, const Tensor& kept_sources) {
  if (plain) {
    if (slots.defined()) slots = kernels::Gather(slots, rows);
    if (kept_sources.defined() && sources.defined()) {
      sources = kernels::Gather(sources, kept_sources);
    }
    return;
  }
  for (Layer& layer : layers) {
    if (layer.self.defined() && !Same(rows, layer.self.values.dim(0))) {
      layer.self = SelectRows(layer.self, rows);
      layer.self_state.Select(rows);
    }
    if (!layer.source.defined()) continue;
    const Tensor& kept = shares_sources ? kept_sources : rows;
    if (!kept.defined() || Same(kept, layer.source.values.dim(0))) continue;
    layer.source = SelectRows(layer.source, kept);
    layer.source_state.Select(kept);
  }
}

TransformerStack::Layer::Layer(const Scope& scope, const TransformerOptions& o)
    : qkv(scope / "self_attention" / "qkv", o.width,
          {o.width, KeyWidth(o), KeyWidth(o)}, o.init, o.attention_bias),
      self(scope / "self_attention", SelfSpec(scope / "self_attention", o)),
      self_output(scope / "self_attention" / "output", o.width, o.width, o.init,
                  o.attention_bias),
      in(o.gated ? Linear(scope / "feed_forward" / "in", o.width,
                          {o.feed_forward, o.feed_forward}, o.init)
                 : Linear(scope / "feed_forward" / "in", o.width,
                          o.feed_forward, o.init)),
      out(scope / "feed_forward" / "out", o.feed_forward, o.width, o.init) {
  if (o.source == 0) return;
  const Scope cross_scope = scope / "cross_attention";
  q.emplace(cross_scope / "q", o.width, o.width, o.init, o.attention_bias);
  kv.emplace(cross_scope / "kv", o.source,
             std::initializer_list<int64_t>{KeyWidth(o), KeyWidth(o)}, o.init,
             o.attention_bias);
  cross.emplace(cross_scope, CrossSpec(cross_scope, o));
  cross_output.emplace(cross_scope / "output", o.width, o.width, o.init,
                       o.attention_bias);
}

TransformerStack::TransformerStack(const Scope& scope,
                                   const TransformerOptions& options)
    : options_(options) {
  if (options.layers < 1 || options.heads < 1 ||
      options.width % options.heads != 0) {
    throw ConfigError(fmt::format(
        "{}: {} layers of width {} with {} heads: choose 1 or more layers and "
        "a width that the heads divide",
        scope.path(), options.layers, options.width, options.heads));
  }
  layers_.reserve(static_cast<size_t>(options.layers));
  const auto add_norm = [&](const Scope& at) {
    norms_.emplace_back(at / "norm", options.width, options.epsilon);
  };
  for (int64_t i = 0; i < options.layers; ++i) {
    const Scope layer = scope / fmt::format("layers.{}", i);
    layers_.emplace_back(layer, options);
    add_norm(layer / "self_attention");
    if (options.source != 0) add_norm(layer / "cross_attention");
    add_norm(layer / "feed_forward");
  }
  if (options.final_norm) add_norm(scope);
}

std::vector<std::string> TransformerStack::source_attentions() const {
  std::vector<std::string> paths;
  for (const Layer& layer : layers_) {
    if (layer.cross) paths.push_back(layer.cross->info().path);
  }
  return paths;
}

DType TransformerStack::dtype() const {
  return layers_[0].qkv.weight().dtype();
}

Var TransformerStack::operator()(const Context& ctx, const Var& x,
                                 const Mask& mask, const Var& source,
                                 const Mask& source_mask) const {
  Call call;
  call.mask = &mask;
  call.source = &source;
  call.source_mask = &source_mask;
  return Run(ctx, x, call);
}

/// Whether the kernels of steps can do it.
bool TransformerStack::IsPlain(const Context& ctx) const {
  const TransformerOptions& o = options_;
  return ctx.tape == nullptr && ctx.observer == nullptr &&
         dtype() == DType::kF32 && o.causal && o.mask.all() &&
         o.modifiers.empty() && (o.self_modifiers.empty() || IsRotary(o)) &&
         o.score.info.name == "scaled_dot" &&
         o.normalizer.info.name == "softmax";
}

kernels::StepQueries TransformerStack::Queries(const Tensor& q) const {
  const int64_t features = options_.width / options_.heads;
  return {q, options_.heads, KeyHeads(options_),
          1 / std::sqrt(static_cast<double>(features))};
}

/// Keys and values as they are kept: half as long where products are rounded
/// anyway, because reading them is what takes the time.
Tensor TransformerStack::Stored(const Tensor& pairs) const {
  const kernels::Precision precision = layers_[0].qkv.weight().precision();
  if (precision == kernels::Precision::kNative) return pairs;
  Tensor stored(pairs.shape(), DType::kBF16);
  kernels::ToBF16(pairs, stored);
  return stored;
}

TransformerState TransformerStack::Start(const Context& ctx, const Var& source,
                                         const Tensor& source_lengths) const {
  TransformerState state;
  state.plain = IsPlain(ctx);
  state.shares_sources = options_.modifiers.empty();
  state.layers.resize(layers_.size());
  if (options_.source == 0) return state;
  const int64_t B = source.dim(0);
  state.source_lengths =
      source_lengths.defined()
          ? source_lengths
          : Tensor::Full({B}, static_cast<double>(source.dim(1)), DType::kI32);
  state.sources = Tensor({B}, DType::kI32);
  std::iota(state.sources.data<int32_t>(), state.sources.data<int32_t>() + B,
            0);
  for (size_t i = 0; i < layers_.size(); ++i) {
    ctx.CheckCancelled();
    if (state.plain) {
      state.layers[i].source_pairs =
          Stored((*layers_[i].kv)(ctx, source).value());
    } else {
      state.layers[i].source =
          Source(ctx, layers_[i], source, Padding(state.source_lengths));
    }
  }
  return state;
}

Var TransformerStack::Step(const Context& ctx, const Var& x,
                           TransformerState& state, Tensor* weights) const {
  Call call;
  call.state = &state;
  call.weights = weights;
  if (state.plain) {
    AppendSlots(x.dim(0), state.position, x.dim(1), state.slots);
  }
  Var y = Run(ctx, x, call);
  state.position += x.dim(1);
  return y;
}

Var TransformerStack::Run(const Context& ctx, const Var& x,
                          const Call& call) const {
  Stream stream = {x, options_.pre_norm ? norms_[0](ctx, x) : x};
  size_t sublayer = 0;
  for (size_t i = 0; i < layers_.size(); ++i) {
    stream =
        Add(ctx, stream, SelfAttention(ctx, i, stream.seen, call), sublayer++);
    if (options_.source != 0) {
      stream = Add(ctx, stream, CrossAttention(ctx, i, stream.seen, call),
                   sublayer++);
    }
    stream =
        Add(ctx, stream, FeedForward(ctx, layers_[i], stream.seen), sublayer++);
  }
  const bool left = !options_.pre_norm && options_.final_norm;
  return left ? norms_.back()(ctx, stream.seen) : stream.seen;
}

/// What `sublayer` adds, and the norm behind it or that of the next one.
TransformerStack::Stream TransformerStack::Add(const Context& ctx,
                                               const Stream& stream,
                                               const Var& y,
                                               size_t sublayer) const {
  ctx.CheckCancelled();
  const size_t norm = sublayer + (options_.pre_norm ? 1 : 0);
  if (norm == norms_.size()) {
    const Var sum = AddDropped(ctx, stream.sum, y, options_.dropout);
    return {sum, sum};
  }
  const AddNormResult result =
      norms_[norm].Sum(ctx, stream.sum, y, options_.dropout);
  if (options_.pre_norm) return {result.sum, result.normed};
  return {result.normed, result.normed};
}

Var TransformerStack::SelfAttention(const Context& ctx, size_t number,
                                    const Var& x, const Call& call) const {
  const Layer& layer = layers_[number];
  const int64_t M = options_.width;
  const int64_t keys = KeyWidth(options_);
  const Var qkv = layer.qkv(ctx, x);
  if (call.state != nullptr && call.state->plain) {
    return layer.self_output(ctx, SelfSteps(qkv.value(), *call.state, number));
  }
  const Var q = Columns(qkv, 0, M);
  const Var k = Columns(qkv, M, M + keys);
  const Var v = Columns(qkv, M + keys, M + 2 * keys);
  Attended attended;
  if (call.state == nullptr) {
    const Memory memory = layer.self.Prepare(ctx, k, v, *call.mask);
    attended = layer.self.Attend(ctx, q, memory);
  } else {
    TransformerState::Layer& own = call.state->layers[number];
    own.self = layer.self.Extend(ctx, std::move(own.self), k, v);
    attended = layer.self.Attend(ctx, q, own.self, &own.self_state);
  }
  return layer.self_output(ctx, attended.context);
}

/// The context of T positions, one after the other. Rotary positions turn what
/// is in qkv. Shapes: qkv [R, T, ·],
/// result [R, T, M].
Tensor TransformerStack::SelfSteps(const Tensor& qkv, TransformerState& state,
                                   size_t number) const {
  const int64_t R = qkv.dim(0);
  const int64_t T = qkv.dim(1);
  const int64_t M = options_.width;
  const int64_t columns = qkv.dim(2);
  if (IsRotary(options_)) {
    Tensor turned =
        qkv.Reshape({R * T, columns}).Columns(0, M + KeyWidth(options_));
    kernels::RotateRows(
        kernels::RotaryTurns(T, M / options_.heads, state.position,
                             options_.self_modifiers[0].arguments[0],
                             DType::kF32),
        turned);
  }
  const Tensor steps = qkv.Reshape({R, T * columns});
  std::vector<Tensor>& positions = state.layers[number].positions;
  Tensor all;
  for (int64_t t = 0; t < T; ++t) {
    const int64_t first = t * columns;
    positions.push_back(Stored(steps.Columns(first + M, first + columns)));
    const Tensor context = kernels::AttendPositions(
        Queries(steps.Columns(first, first + M)), positions, state.slots);
    if (T == 1) return context.Reshape({R, 1, M});
    if (t == 0) all = Tensor({R, T * M});
    Tensor own = all.Columns(t * M, (t + 1) * M);
    own.CopyFrom(context);
  }
  return all.Reshape({R, T, M});
}

Memory TransformerStack::Source(const Context& ctx, const Layer& layer,
                                const Var& source, const Mask& mask) const {
  const int64_t keys = KeyWidth(options_);
  const Var kv = (*layer.kv)(ctx, source);
  return layer.cross->Prepare(ctx, Columns(kv, 0, keys),
                              Columns(kv, keys, 2 * keys), mask);
}

Var TransformerStack::CrossAttention(const Context& ctx, size_t number,
                                     const Var& x, const Call& call) const {
  const Layer& layer = layers_[number];
  const Var q = (*layer.q)(ctx, x);
  Var context;
  if (call.state == nullptr) {
    const Memory memory = Source(ctx, layer, *call.source, *call.source_mask);
    context = layer.cross->Attend(ctx, q, memory).context;
  } else {
    const int64_t shown = options_.alignment_layer < 0
                              ? std::ssize(layers_) - 1
                              : options_.alignment_layer;
    context = CrossStep(
        ctx, layer, q, *call.state, number,
        static_cast<int64_t>(number) == shown ? call.weights : nullptr);
  }
  return (*layer.cross_output)(ctx, context);
}

/// Rows of one source are queries of one memory where that makes no difference:
/// [R, T, M] is then [B, n T, M].
Var TransformerStack::CrossStep(const Context& ctx, const Layer& layer,
                                const Var& query, TransformerState& state,
                                size_t number, Tensor* weights) const {
  TransformerState::Layer& own = state.layers[number];
  const int64_t R = query.dim(0);
  const int64_t T = query.dim(1);
  if (state.plain) {
    const Tensor rows = query.value().Reshape({R * T, options_.width});
    Tensor looks;
    const Tensor context = kernels::AttendSource(
        Queries(rows), own.source_pairs, state.source_lengths, state.sources,
        weights == nullptr ? nullptr : &looks, options_.alignment_head);
    if (weights != nullptr) {
      *weights = LastOfEach(looks.Reshape({R, T, looks.dim(1)}));
    }
    return context.Reshape({R, T, options_.width});
  }
  const int64_t B = own.source.values.dim(0);
  const WantWeights want =
      weights == nullptr ? WantWeights::kNo : WantWeights::kValues;
  const Var q = Reshape(query, {B, R / B * T, options_.width});
  const Attended attended = layer.cross->Attend(
      ctx, q, own.source, state.shares_sources ? nullptr : &own.source_state,
      want);
  if (weights != nullptr) {
    const Tensor look =
        HeadWeights(attended.weights.value(), options_.alignment_head);
    *weights = LastOfEach(look.Reshape({R, T, look.dim(2)}));
  }
  return Reshape(attended.context, {R, T, options_.width});
}

Var TransformerStack::FeedForward(const Context& ctx, const Layer& layer,
                                  const Var& x) const {
  Var inner;
  if (options_.gated) {
    inner = GatedActivation(layer.in(ctx, x), options_.activation);
  } else {
    inner = AffineActivation(x, ctx.Use(layer.in.weight()),
                             ctx.Use(*layer.in.bias()), options_.activation);
  }
  ctx.CheckCancelled();
  return layer.out(ctx, Dropout(ctx, inner, options_.activation_dropout));
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
