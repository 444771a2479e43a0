#include "heed/models/encoder_decoder.h"

#include <fmt/format.h>

#include <array>
#include <memory_resource>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/models/transformer_config.h"
#include "heed/nn/transformer.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Names the dropout of h̃ among those of the layers.
constexpr uint64_t kAttentionalSite = kMaxLayers;
constexpr size_t kStepBytes = size_t{16} << 10;

Init InputInit(const RecurrentConfig& c) {
  if (c.init == "uniform") return {Init::Kind::kUniform, c.init_scale};
  if (c.init == "normal") return {Init::Kind::kNormal, c.init_scale};
  return {};
}

Init RecurrentInit(const RecurrentConfig& c) {
  return c.init == "normal" ? Init{Init::Kind::kOrthogonal, 1} : InputInit(c);
}

Init EmbeddingInit(const RecurrentConfig& c) {
  return c.init == "glorot" ? kEmbeddingInit : InputInit(c);
}

EncoderOptions EncoderOf(const RecurrentConfig& c) {
  EncoderOptions o;
  o.cell = c.cell;
  o.inputs = c.embedding;
  o.units = c.encoder_units;
  o.layers = c.layers;
  o.bidirectional = c.bidirectional == "yes";
  o.input_init = InputInit(c);
  o.recurrent_init = RecurrentInit(c);
  o.dropout = c.dropout;
  o.variational = c.variational;
  return o;
}

/// The state of a cell, of so many vectors, from one row of features.
Var AsState(const Var& x, int64_t vectors) {
  if (vectors == 1) return x;
  const int64_t units = x.dim(-1) / vectors;
  std::vector<Var> parts;
  for (int64_t i = 0; i < vectors; ++i) {
    parts.push_back(Columns(x, i * units, (i + 1) * units));
  }
  return Stack(parts);
}

/// The vectors x [T, B, M] of an input, as an observer sees or changes them.
Var Observed(const Context& ctx, const std::string& name, const Var& x) {
  if (!ctx.ObservesInput(name)) return x;
  return TransposeLeading(ctx.Input(name, TransposeLeading(x)));
}

Var AddTimeAxis(const Var& x) { return Reshape(x, {1, x.dim(0), x.dim(1)}); }
Var DropTimeAxis(const Var& x) { return Reshape(x, {x.dim(1), x.dim(2)}); }

}  // namespace

struct EncoderDecoder::CachedState : DecodingState {
  explicit CachedState(State state, bool shared)
      : state(std::move(state)), shared(shared) {}
  void Reorder(const Tensor& rows, const Tensor& sources) override;
  void SetWeights() { weights_ = state.weights; }

  State state;
  bool shared;                    // the memory is one of sources, else of rows
  kernels::PackedMatrix outputs;  // of the words to score, if not of all
  Tensor bias;
};

EncoderDecoder::EncoderDecoder(const RecurrentConfig& config,
                               int source_vocabulary, int target_vocabulary,
                               uint64_t seed, DType dtype)
    : SequenceModel(seed, dtype, ParsePrecision(config.precision)),
      config_(config),
      source_embedding_(Scope(parameters_, "encoder.embedding"),
                        source_vocabulary, config.embedding,
                        EmbeddingInit(config)),
      target_embedding_(Scope(parameters_, "decoder.embedding"),
                        target_vocabulary, config.embedding,
                        EmbeddingInit(config)),
      encoder_(Scope(parameters_, "encoder"), EncoderOf(config)) {
  const Scope scope(parameters_, "decoder");
  const RecurrentConfig& c = config_;
  const Init init = InputInit(c);
  const int64_t keys = encoder_.output_size();

  // Inputs of the first layer besides the previous word.
  std::vector<int64_t> inputs = {c.embedding};
  if (c.attention == "before") inputs.push_back(keys);
  if (c.input_feeding == "yes") inputs.push_back(c.units);
  for (int layer = 0; layer < c.layers; ++layer) {
    decoder_.emplace_back(
        scope / fmt::format("layers.{}", layer),
        RecurrentOptions{c.cell,
                         layer == 0 ? inputs : std::vector<int64_t>{c.units},
                         c.units, init, RecurrentInit(c)});
  }
  if (c.attention == "between") {
    second_.emplace(
        scope / "second",
        RecurrentOptions{c.cell, {keys}, c.units, init, RecurrentInit(c)});
  }
  if (c.attention != "none") {
    AttentionSpec spec;
    spec.score = ChooseScore(c.score);
    spec.modifiers = ChooseModifiers(c.modifiers);
    spec.mask = ParseMask(c.attention_mask, {});
    spec.normalizer = ChooseNormalizer(c.normalizer);
    spec.dropout = c.attention_dropout;
    spec.heads = c.heads;
    spec.query = c.units;
    spec.key = keys;
    spec.units = (c.attention_units + c.heads - 1) / c.heads;
    spec.layers = c.mlp_layers;
    spec.positions = c.positions;
    spec.init = init;
    spec.query_axis = "target";
    attention_.emplace(scope / "attention", spec);
  }
  const bool cho = c.variant == "cho";
  if (c.bridge == "mean") {
    PoolingOptions mean;
    mean.features = keys;
    mean_.emplace(scope / "mean", mean);
  }
  const int64_t summary = mean_ ? keys : c.encoder_units;
  if (cho) {
    summary_.emplace(scope / "summary", summary, c.units, init);
    inner_.emplace(scope / "context", c.units, 3 * c.units, init);
  }
  if (c.bridge != "copy") {
    const int64_t width = cho ? c.units : summary;
    for (int layer = 0; layer < c.layers; ++layer) {
      bridge_.emplace_back(scope / fmt::format("bridge.{}", layer), width,
                           StatesOfCell(c.cell) * c.units, init);
    }
  }
  if (c.attention == "after") {
    attentional_.emplace(scope / "attentional", keys + c.units, c.units, init);
  }

  int64_t width = c.units;
  if (c.readout != "none") {
    const int64_t columns = c.readout_units * (c.readout == "maxout" ? 2 : 1);
    const auto add = [&](const char* name, int64_t rows) {
      readout_.push_back(&scope.Add(fmt::format("readout.{}.weight", name),
                                    {rows, columns}, init,
                                    ParameterUse::kMatrix));
    };
    add("state", c.units);
    add("embedding", c.embedding);
    if (cho || c.attention == "before" || c.attention == "between") {
      add("context", cho ? c.units : keys);
    }
    readout_bias_ = &scope.Add("readout.bias", {columns}, kZeroInit);
    width = c.readout_units;
  }
  if (!c.tie_output) {
    output_ = &scope.Add("output.weight", {width, target_vocabulary}, init,
                         ParameterUse::kMatrix);
  }
  (c.tie_output ? target_embedding_.weight() : *output_).SetScoresTokens();
  output_bias_ = &scope.Add("output.bias", {target_vocabulary}, kZeroInit);
}

Var EncoderDecoder::Features(const Context& ctx, const Tensor& source,
                             const Tensor& lengths,
                             const Tensor& target_in) const {
  State state = Encode(ctx, source, lengths);
  const Var embedded = EmbedTarget(ctx, target_in);
  return ReadOut(ctx, Run(ctx, embedded, state), embedded);
}

Var EncoderDecoder::Logits(const Context& ctx, const Tensor& source,
                           const Tensor& lengths,
                           const Tensor& target_in) const {
  return Scores(ctx, Features(ctx, source, lengths, target_in));
}

CrossEntropyLoss EncoderDecoder::Loss(
    const Context& ctx, const Tensor& source, const Tensor& lengths,
    const Tensor& target_in, const Tensor& targets,
    const CrossEntropyOptions& options) const {
  return LinearCrossEntropy(Features(ctx, source, lengths, target_in),
                            Output(ctx), targets, options);
}

std::unique_ptr<DecodingState> EncoderDecoder::Start(
    const Context& ctx, const Tensor& source, const Tensor& lengths) const {
  return std::make_unique<CachedState>(
      Encode(ctx, source, lengths),
      attention_.has_value() && attention_->independent());
}

Var EncoderDecoder::Step(const Context& ctx, const Tensor& tokens,
                         DecodingState& state) const {
  auto& cached = dynamic_cast<CachedState&>(state);
  cached.state.want =
      state.options().weights ? WantWeights::kValues : WantWeights::kNo;
  const Var embedded = EmbedTarget(ctx, tokens.Reshape({1, tokens.numel()}));
  const Var out =
      DropTimeAxis(ReadOut(ctx, Run(ctx, embedded, cached.state), embedded));
  cached.SetWeights();
  const StepOptions& options = state.options();
  const Tensor& words = options.outputs;
  const kernels::PackedMatrix& all =
      output_ != nullptr ? output_->Packed(false)
                         : target_embedding_.weight().Packed(true);
  if (words.defined() && !cached.bias.defined()) {
    cached.outputs = kernels::SelectColumns(all, words);
    cached.bias = kernels::Gather(output_bias_->value(), words);
  }
  const kernels::PackedMatrix& outputs = words.defined() ? cached.outputs : all;
  if (ctx.tape == nullptr &&
      kernels::CanFindTopK(out.value(), outputs, options.top_k,
                           options.first)) {
    cached.SetTopK(
        kernels::FindTopK(out.value(), outputs,
                          words.defined() ? cached.bias : output_bias_->value(),
                          options.top_k, options.first, options.sums));
    return Var();
  }
  if (!words.defined()) return Scores(ctx, out);
  Tensor scores({tokens.numel(), words.numel()}, out.value().dtype());
  kernels::Multiply(out.value(), cached.outputs, {.bias = &cached.bias},
                    scores);
  return scores;
}

EncoderDecoder::State EncoderDecoder::Encode(const Context& ctx,
                                             const Tensor& source,
                                             const Tensor& lengths) const {
  CheckShapes(source.rank() == 2 && lengths.defined(), "encoder",
              "a source that is not [S, B] with lengths", {source.shape()});
  CheckLengths("encoder", lengths, source.dim(1), source.dim(0));
  const bool reverse = config_.reverse_source == "yes";
  const Var words = Observed(ctx, "source", source_embedding_(ctx, source));
  const Var embedded =
      SequenceDropout(ctx, reverse ? ReverseByLength(words, lengths) : words,
                      config_.dropout, config_.variational);
  const EncoderResult encoded = encoder_(ctx, embedded, lengths);
  State state;
  if (ctx.training && config_.variational) state.key = ctx.NextKey();
  Var summary = Summary(ctx, encoded, lengths);
  if (summary_) {
    summary = Tanh((*summary_)(ctx, summary));
    state.summary = summary;
    state.context = (*inner_)(ctx, summary);
  }
  state.layers = Bridge(ctx, encoded, summary);
  if (attention_) {
    // Back into the order of the text, so that weights mean what they show.
    const Var outputs =
        reverse ? ReverseByLength(encoded.outputs, lengths) : encoded.outputs;
    const Var keys = TransposeLeading(
        SequenceDropout(ctx, outputs, config_.dropout, config_.variational));
    state.memory = attention_->Prepare(ctx, keys, keys, Padding(lengths));
  }
  if (config_.input_feeding == "yes") {
    state.feed =
        Tensor::Zeros({source.dim(1), config_.units}, embedded.value().dtype());
  }
  return state;
}

/// What the encoder knows at its end: the backward state at the first word, or
/// the only direction's last state; or all that it gave, in the mean.
Var EncoderDecoder::Summary(const Context& ctx, const EncoderResult& encoded,
                            const Tensor& lengths) const {
  if (mean_) return (*mean_)(ctx, TransposeLeading(encoded.outputs), lengths);
  const LayerStates& states = encoded.backward_states.empty()
                                  ? encoded.states
                                  : encoded.backward_states;
  return Recurrent::Hidden(states.back());
}

LayerStates EncoderDecoder::Bridge(const Context& ctx,
                                   const EncoderResult& encoded,
                                   const Var& summary) const {
  if (config_.bridge == "copy") return encoded.states;
  LayerStates states;
  for (const Linear& layer : bridge_) {
    states.push_back(
        AsState(Tanh(layer(ctx, summary)), StatesOfCell(config_.cell)));
  }
  return states;
}

Var EncoderDecoder::EmbedTarget(const Context& ctx,
                                const Tensor& tokens) const {
  return SequenceDropout(
      ctx, Observed(ctx, "target_inputs", target_embedding_(ctx, tokens)),
      config_.dropout, config_.variational);
}

EncoderDecoder::Seen EncoderDecoder::Run(const Context& ctx,
                                         const Var& embedded,
                                         State& state) const {
  const Var projected = decoder_[0].Project(ctx, embedded);
  if (!attention_) return RunFixed(ctx, projected, state);
  // Steps of a usual sentence need no allocation.
  std::array<std::byte, kStepBytes> storage;
  std::pmr::monotonic_buffer_resource resource(storage.data(), storage.size());
  const auto steps = static_cast<size_t>(embedded.dim(0));
  std::pmr::vector<Var> states(&resource);
  std::pmr::vector<Var> contexts(&resource);
  states.reserve(steps);
  contexts.reserve(steps);
  for (int64_t t = 0; t < embedded.dim(0); ++t) {
    ctx.CheckCancelled();
    const Var step = Select(projected, t);
    const Seen seen =
        config_.attention == "before"  ? StepBefore(ctx, step, state)
        : config_.attention == "after" ? StepAfter(ctx, step, state)
                                       : StepBetween(ctx, step, state);
    states.push_back(seen.state);
    if (seen.context.defined()) contexts.push_back(seen.context);
  }
  return {Stack(states), contexts.empty() ? Var() : Stack(contexts)};
}

Var EncoderDecoder::Attend(const Context& ctx, const Var& query,
                           State& state) const {
  // Rows of one source are queries of one memory.
  const int64_t sources = state.memory.values.dim(0);
  const int64_t rows = query.dim(0);
  const int64_t position = state.attention.position;
  const Attended attended = attention_->Attend(
      ctx, Reshape(query, {sources, rows / sources, query.dim(1)}),
      state.memory, &state.attention, state.want);
  state.attention.position = position + 1;
  if (attended.weights.defined()) {
    const Tensor look = HeadWeights(attended.weights.value());
    state.weights = look.Reshape({look.dim(0) * look.dim(1), look.dim(2)});
  }
  return Reshape(attended.context, {rows, attended.context.dim(2)});
}

Var EncoderDecoder::DropSteps(const Context& ctx, const Var& x,
                              const State& state, uint64_t site) const {
  if (!ctx.training) return x;
  if (!config_.variational) return Dropout(ctx, x, config_.dropout);
  return StepDropoutWithKey(x, config_.dropout, state.key + site);
}

Var EncoderDecoder::Advance(const Context& ctx, const Var& projected,
                            State& state) const {
  Var input = projected;
  Var outputs;
  for (size_t i = 0; i < decoder_.size(); ++i) {
    if (i > 0) {
      input = decoder_[i].Project(ctx, DropSteps(ctx, outputs, state, i));
    }
    RecurrentResult result =
        decoder_[i].Forward(ctx, input, state.layers[i], {}, state.context);
    outputs = std::move(result.outputs);
    state.layers[i] = std::move(result.state);
  }
  return outputs;
}

EncoderDecoder::Seen EncoderDecoder::StepBefore(const Context& ctx,
                                                const Var& projected,
                                                State& state) const {
  const Var before = Recurrent::Hidden(state.layers.back());
  const Var context = Attend(ctx, before, state);
  const Var input = decoder_[0].AddProjection(ctx, projected, context, 1);
  const Var after = DropTimeAxis(Advance(ctx, AddTimeAxis(input), state));
  return {config_.readout_state == "prev" ? before : after, context};
}

EncoderDecoder::Seen EncoderDecoder::StepBetween(const Context& ctx,
                                                 const Var& projected,
                                                 State& state) const {
  const Var before = Recurrent::Hidden(state.layers.back());
  const Var middle = DropTimeAxis(Advance(ctx, AddTimeAxis(projected), state));
  const Var context = Attend(ctx, middle, state);
  const Var input = second_->Project(ctx, AddTimeAxis(context));
  RecurrentResult result =
      second_->Forward(ctx, input, state.layers.back(), {});
  state.layers.back() = std::move(result.state);
  return {
      config_.readout_state == "prev" ? before : DropTimeAxis(result.outputs),
      context};
}

EncoderDecoder::Seen EncoderDecoder::StepAfter(const Context& ctx,
                                               const Var& projected,
                                               State& state) const {
  Var input = projected;
  if (state.feed.defined()) {
    input = decoder_[0].AddProjection(ctx, std::move(input), state.feed, 1);
  }
  const Var top = DropTimeAxis(Advance(ctx, AddTimeAxis(input), state));
  const Var context = Attend(ctx, top, state);
  Var attentional = Tanh((*attentional_)(ctx, ConcatColumns({context, top})));
  attentional = DropTimeAxis(
      DropSteps(ctx, AddTimeAxis(attentional), state, kAttentionalSite));
  if (state.feed.defined()) state.feed = attentional;
  return {attentional, {}};
}

EncoderDecoder::Seen EncoderDecoder::RunFixed(const Context& ctx,
                                              const Var& projected,
                                              State& state) const {
  Seen seen;
  seen.state = Advance(ctx, projected, state);
  if (state.summary.defined()) {
    const std::vector<Var> steps(static_cast<size_t>(projected.dim(0)),
                                 state.summary);
    seen.context = Stack(steps);
  }
  return seen;
}

Var EncoderDecoder::ReadOut(const Context& ctx, const Seen& seen,
                            const Var& embedded) const {
  Var out = seen.state;
  if (config_.readout != "none") {
    out = Affine(seen.state, ctx.Use(*readout_[0]), ctx.Use(*readout_bias_));
    out = MatMulAdd(std::move(out), embedded, ctx.Use(*readout_[1]));
    if (seen.context.defined()) {
      out = MatMulAdd(std::move(out), seen.context, ctx.Use(*readout_[2]));
    }
    out = config_.readout == "maxout" ? Maxout(out) : Tanh(out);
  }
  // Attention after the step has dropped its state already.
  if (config_.attention != "after" || config_.readout != "none") {
    out = SequenceDropout(ctx, out, config_.dropout, config_.variational);
  }
  return out;
}

Var EncoderDecoder::Scores(const Context& ctx, const Var& out) const {
  const auto [weight, transposed, bias] = Output(ctx);
  return transposed ? AffineTransposed(out, weight, bias)
                    : Affine(out, weight, bias);
}

LinearWeights EncoderDecoder::Output(const Context& ctx) const {
  const bool tied = output_ == nullptr;
  return {ctx.Use(tied ? target_embedding_.weight() : *output_), tied,
          ctx.Use(*output_bias_)};
}

void EncoderDecoder::CachedState::Reorder(const Tensor& rows,
                                          const Tensor& sources) {
  const bool same_sources =
      !sources.defined() && rows.numel() == state.layers[0].dim(-2);
  const auto gather = [&rows](Var& x) {
    if (x.defined()) x = kernels::Gather(x.value(), rows);
  };
  for (Var& layer : state.layers) layer = Recurrent::SelectRows(layer, rows);
  gather(state.feed);
  state.attention.Select(rows);
  if (!same_sources) {
    gather(state.context);
    gather(state.summary);
  }
  if (!state.memory.defined()) return;
  if (shared) {
    if (sources.defined()) state.memory = state.memory.Select(sources);
  } else if (!same_sources) {
    state.memory = state.memory.Select(rows);
  }
}

}  // namespace heed
