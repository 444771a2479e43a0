#include "heed/nn/transformer.h"

#include <fmt/format.h>

#include <string_view>

#include "heed/autograd/product_observer.h"
#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/feed_forward.h"
#include "heed/ops/shape.h"
#include "heed/ops/ssru.h"

namespace heed {
namespace {

int64_t KeyHeads(const TransformerOptions& o) {
  return o.key_heads == 0 ? o.heads : o.key_heads;
}

/// Features of all key heads together.
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

/// Spec of cross attention to a source; its queries predict the next token.
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

constexpr std::string_view kSource = "source";
constexpr std::string_view kSourceLengths = "source.lengths";

}  // namespace

TransformerStack::Own::Own(const Scope& scope, const TransformerOptions& o) {
  if (o.recurrent) {
    const Scope at = scope / "recurrence";
    recurrence.emplace(at / "in", o.width,
                       std::initializer_list<int64_t>{o.width, o.width}, o.init,
                       false);
    gate_bias = &(at / "gate").Add("bias", {o.width}, kZeroInit);
    cells = at.path();
    return;
  }
  const Scope at = scope / "self_attention";
  qkv.emplace(at / "qkv", o.width,
              std::initializer_list<int64_t>{o.width, KeyWidth(o), KeyWidth(o)},
              o.init, o.attention_bias);
  self.emplace(at, SelfSpec(at, o));
  self_output.emplace(at / "output", o.width, o.width, o.output_init,
                      o.attention_bias);
}

TransformerStack::Layer::Layer(const Scope& scope, const TransformerOptions& o)
    : own(scope, o),
      in(o.gated ? Linear(scope / "feed_forward" / "in", o.width,
                          {o.feed_forward, o.feed_forward}, o.init)
                 : Linear(scope / "feed_forward" / "in", o.width,
                          o.feed_forward, o.init)),
      out(scope / "feed_forward" / "out", o.feed_forward, o.width,
          o.output_init) {
  if (o.source == 0) return;
  const Scope cross_scope = scope / "cross_attention";
  q.emplace(cross_scope / "q", o.width, o.width, o.init, o.attention_bias);
  kv.emplace(cross_scope / "kv", o.source,
             std::initializer_list<int64_t>{KeyWidth(o), KeyWidth(o)}, o.init,
             o.attention_bias);
  cross.emplace(cross_scope, CrossSpec(cross_scope, o));
  cross_output.emplace(cross_scope / "output", o.width, o.width, o.output_init,
                       o.attention_bias);
}

TransformerStack::TransformerStack(const Scope& scope,
                                   const TransformerOptions& options)
    : options_(options) {
  if (options.layers < 1 || options.heads < 1 ||
      options.width % options.heads != 0) {
    throw ConfigError(
        "{}: {} layers of width {} with {} heads: choose 1 or more layers and "
        "a width that the heads divide",
        scope.path(), options.layers, options.width, options.heads);
  }
  layers_.reserve(static_cast<size_t>(options.layers));
  const auto add_norm = [&](const Scope& at) {
    norms_.emplace_back(at / "norm", options.width, options.epsilon);
  };
  for (int64_t i = 0; i < options.layers; ++i) {
    const Scope layer = scope / fmt::format("layers.{}", i);
    layers_.emplace_back(layer, options);
    add_norm(layer / (options.recurrent ? "recurrence" : "self_attention"));
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

DType TransformerStack::dtype() const { return layers_[0].in.weight().dtype(); }

Var TransformerStack::operator()(const Context& ctx, const Var& x,
                                 const Mask& mask, DecoderState* state) const {
  if (state != nullptr) {
    // Fixed activations are for results equal to another program's.
    const Parameter& weight = layers_[0].in.weight();
    state->precision = weight.has_fixed_activations()
                           ? kernels::Precision::kNative
                           : weight.precision();
  }
  Stream stream = {x, options_.pre_norm ? norms_[0](ctx, x) : x};
  size_t sublayer = 0;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const Var own =
        layer.own.recurrence
            ? Recurrence(ctx, layer.own, stream.seen, state)
            : SelfAttention(ctx, layer.own, stream.seen, mask, state);
    stream = Add(ctx, stream, own, sublayer++);
    if (layer.cross) {
      stream = Add(ctx, stream, CrossAttention(ctx, i, stream.seen, *state),
                   sublayer++);
    }
    stream = Add(ctx, stream, FeedForward(ctx, layer, stream.seen), sublayer++);
  }
  if (state != nullptr) {
    state->position += x.dim(1);
    state->Erase(kSource);
  }
  const bool left = !options_.pre_norm && options_.final_norm;
  return left ? norms_.back()(ctx, stream.seen) : stream.seen;
}

void TransformerStack::SetSource(const Var& source, const Tensor& lengths,
                                 DecoderState& state) {
  state.At(kSource, StateRole::kSource) = source;
  if (lengths.defined()) {
    state.At(kSourceLengths, StateRole::kSource) = lengths;
  }
}

/// Adds the output of `sublayer` to the stream, and applies its norm
/// (post-norm) or that of the next sublayer (pre-norm).
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

/// SSRU over the positions; a state that is not whole carries its cells.
Var TransformerStack::Recurrence(const Context& ctx, const Own& own,
                                 const Var& x, DecoderState* state) const {
  const bool steps = state != nullptr && !state->whole;
  Var* last = steps ? &state->At(own.cells, StateRole::kRow) : nullptr;
  const Var cells = SsruCells((*own.recurrence)(ctx, x),
                              ctx.Use(*own.gate_bias), steps ? *last : Var());
  if (steps) {
    const int64_t width = options_.width;
    const int64_t end = x.dim(1) * width;
    *last = cells.value()
                .Reshape({x.dim(0), end})
                .Columns(end - width, end)
                .Contiguous();
  }
  return Activate(cells, Activation::kRelu);
}

/// Self attention and its output projection.
Var TransformerStack::SelfAttention(const Context& ctx, const Own& own,
                                    const Var& x, const Mask& mask,
                                    DecoderState* state) const {
  const Var qkv = (*own.qkv)(ctx, x);
  const int64_t keys = KeyWidth(options_);
  const Var q = Columns(qkv, 0, options_.width);
  const Var k = Columns(qkv, options_.width, options_.width + keys);
  const Var v = Columns(qkv, options_.width + keys, options_.width + 2 * keys);
  const auto project = [&](const Attended& attended) {
    return (*own.self_output)(ctx, attended.context);
  };
  if (state == nullptr || state->whole) {
    return project(
        own.self->Attend(ctx, q, own.self->Prepare(ctx, k, v, mask)));
  }
  Memory& memory = state->MemoryOf(own.self->info().path);
  const bool first = !memory.defined();
  memory = own.self->Extend(ctx, std::move(memory), k, v);
  if (first && q.dim(1) > 1 && !memory.positions.empty()) {
    // The queries of a prompt at once: in steps, each would read all its keys.
    memory.position = q.dim(1);
    return project(own.self->Attend(ctx, q, own.self->Prepare(ctx, k, v)));
  }
  return project(own.self->Attend(ctx, q, &memory));
}

Var TransformerStack::CrossAttention(const Context& ctx, size_t number,
                                     const Var& x, DecoderState& state) const {
  const Layer& layer = layers_[number];
  const Var q = (*layer.q)(ctx, x);
  Memory& source = state.MemoryOf(layer.cross->info().path);
  if (!source.defined()) {
    const Var* lengths = state.Find(kSourceLengths);
    const Var pairs = (*layer.kv)(ctx, *state.Find(kSource));
    const int64_t keys = KeyWidth(options_);
    source = layer.cross->Prepare(
        ctx, Columns(pairs, 0, keys), Columns(pairs, keys, 2 * keys),
        lengths == nullptr ? Tensor() : lengths->value(), state);
  }
  const int64_t shown = options_.alignment_layer < 0 ? std::ssize(layers_) - 1
                                                     : options_.alignment_layer;
  const bool show = static_cast<int64_t>(number) == shown &&
                    state.wants_weights && !state.whole;
  AttendOptions wanted;
  if (show) wanted.last = options_.alignment_head;
  const Attended attended = layer.cross->Attend(ctx, q, &source, wanted);
  if (show) state.weights = attended.last;
  return (*layer.cross_output)(ctx, attended.context);
}

Var TransformerStack::FeedForward(const Context& ctx, const Layer& layer,
                                  const Var& x) const {
  if (!options_.gated && ProductObserver::Of(ctx) == nullptr) {
    return PositionwiseFeedForward(
        ctx, x, layer.in.Use(ctx), options_.activation,
        options_.activation_dropout, layer.out.Use(ctx));
  }
  const Var sums = layer.in(ctx, x);
  const Var inner = options_.gated ? GatedActivation(sums, options_.activation)
                                   : Activate(sums, options_.activation);
  ctx.CheckCancelled();
  return layer.out(ctx, Dropout(ctx, inner, options_.activation_dropout));
}

}  // namespace heed
