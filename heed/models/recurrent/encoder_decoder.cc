#include "heed/models/recurrent/encoder_decoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory_resource>

#include "heed/kernels/elementwise.h"
#include "heed/models/outline_parts.h"
#include "heed/nn/transformer.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Dropout site of h̃, after those of the layers.
constexpr uint64_t kAttentionalSite = kMaxLayers;
constexpr size_t kStepBytes = size_t{16} << 10;

constexpr const char* kContext = "context";
constexpr const char* kSummary = "summary";
constexpr const char* kFeed = "feed";

std::optional<Embedding> EmbeddingOf(ParameterSet& parameters,
                                     const ResolvedRecurrent& config,
                                     int64_t vocabulary) {
  if (vocabulary == 0) return {};
  return Embedding(Scope(parameters, "encoder.embedding"), vocabulary,
                   config.embedding, config.embedding_init);
}

std::optional<Linear> FramesOf(ParameterSet& parameters,
                               const ResolvedRecurrent& config,
                               int64_t features) {
  if (features == 0) return {};
  return Linear(Scope(parameters, "encoder.frames"), features, config.embedding,
                config.encoder.input_init);
}

Var Kept(const DecoderState& state, const char* name) {
  const Var* x = state.Find(name);
  return x == nullptr ? Var() : *x;
}

}  // namespace

EncoderDecoder::EncoderDecoder(const ResolvedRecurrent& config,
                               const SourceSize& source, int target_vocabulary,
                               uint64_t seed, DType dtype)
    : Decoder(seed, dtype, config.precision),
      config_(config),
      source_embedding_(EmbeddingOf(parameters_, config, source.vocabulary)),
      source_frames_(FramesOf(parameters_, config, source.frame_features)),
      target_embedding_(Scope(parameters_, "decoder.embedding"),
                        target_vocabulary, config.embedding,
                        config.embedding_init),
      encoder_(Scope(parameters_, "encoder"), config.encoder) {
  const Scope scope(parameters_, "decoder");
  const ResolvedRecurrent& c = config_;
  const Init init = c.encoder.input_init;
  const int64_t keys = encoder_.output_size();

  // Inputs of the first layer besides the previous word.
  std::vector<int64_t> inputs = {c.embedding};
  if (c.attention == AttentionPlace::kBefore) inputs.push_back(keys);
  if (c.attention == AttentionPlace::kFed) inputs.push_back(keys);
  if (c.input_feeding) inputs.push_back(c.units);
  for (int64_t layer = 0; layer < c.encoder.layers; ++layer) {
    decoder_.emplace_back(
        scope / fmt::format("layers.{}", layer),
        RecurrentOptions{c.decoder_cell,
                         layer == 0 ? inputs : std::vector<int64_t>{c.units},
                         c.units, init, c.encoder.recurrent_init,
                         c.encoder.forget_gate_bias});
  }
  if (c.attention == AttentionPlace::kBetween) {
    second_.emplace(scope / "second",
                    RecurrentOptions{c.decoder_cell,
                                     {keys},
                                     c.units,
                                     init,
                                     c.encoder.recurrent_init,
                                     c.encoder.forget_gate_bias});
  }
  if (c.attention != AttentionPlace::kNone) {
    attention_.emplace(scope / "attention", c.attention_spec);
  }
  const bool cho = c.context_in_gates;
  if (c.bridge == Bridge::kMean) {
    PoolingOptions mean;
    mean.features = keys;
    mean_.emplace(scope / "mean", mean);
  }
  const int64_t summary = mean_ ? keys : c.encoder.units;
  if (cho) {
    summary_.emplace(scope / "summary", summary, c.units, init);
    inner_.emplace(scope / "context", c.units, 3 * c.units, init);
  }
  if (c.bridge != Bridge::kCopy) {
    const int64_t width = cho ? c.units : summary;
    for (int64_t layer = 0; layer < c.encoder.layers; ++layer) {
      bridge_.emplace_back(scope / fmt::format("bridge.{}", layer), width,
                           StatesOfCell(c.decoder_cell) * c.units, init);
    }
  }
  if (c.attention == AttentionPlace::kAfter) {
    attentional_.emplace(scope / "attentional", keys + c.units, c.units, init);
  }

  int64_t width = c.units;
  if (c.readout != Readout::kNone) {
    const int64_t columns =
        c.readout_units * (c.readout == Readout::kMaxout ? 2 : 1);
    const auto add = [&](const char* name, int64_t rows) {
      readout_.push_back(&scope.Add(fmt::format("readout.{}.weight", name),
                                    {rows, columns}, init,
                                    ParameterUse::kMatrix));
    };
    add("state", c.units);
    add("embedding", c.embedding);
    if (cho || c.attention == AttentionPlace::kBefore ||
        c.attention == AttentionPlace::kBetween ||
        c.attention == AttentionPlace::kFed) {
      add("context", cho ? c.units : keys);
    }
    readout_bias_ = &scope.Add("readout.bias", {columns}, kZeroInit);
    width = c.readout_units;
  }
  if (c.tie_output) {
    output_.emplace(scope / "output", target_embedding_, true);
  } else {
    output_.emplace(scope / "output", width, target_vocabulary, init, true,
                    /*by_token=*/false);
  }
}

Var EncoderDecoder::Source(const Context& ctx, const Inputs& inputs) const {
  const bool ids = inputs.kind == Inputs::Kind::kIds;
  CheckShapes(!ids || source_embedding_, "encoder",
              "tokens, where frames are read", {});
  inputs.Check("encoder", source_frames_
                              ? source_frames_->weight().value().dim(0)
                              : config_.embedding);
  CheckShapes(inputs.kind != Inputs::Kind::kNodes, "encoder",
              "nodes, which have no order to be read in", {});
  const Var read = ObservedSteps(ctx, "source",
                                 ids ? (*source_embedding_)(ctx, inputs.ids)
                                     : TransposeLeading(inputs.vectors));
  return source_frames_ ? (*source_frames_)(ctx, read) : read;
}

Encoding EncoderDecoder::Encode(const Context& ctx,
                                const Inputs& inputs) const {
  const Var read = Source(ctx, inputs);
  const Tensor& lengths = inputs.lengths;
  const bool reverse = config_.reverse_source;
  const Var embedded = reverse ? ReverseByLength(read, lengths) : read;
  const EncoderResult encoded = encoder_(
      ctx, SequenceDropout(ctx, embedded, config_.dropout, config_.variational),
      lengths);
  Encoding encoding;
  encoding.sources = inputs.size();
  encoding.lengths = lengths;
  encoding.states = encoded.states;
  encoding.summary = Summary(ctx, encoded, lengths);
  // Restore text order, so that weights correspond to the words.
  Var outputs =
      reverse ? ReverseByLength(encoded.outputs, lengths) : encoded.outputs;
  if (attention_) {
    outputs =
        SequenceDropout(ctx, outputs, config_.dropout, config_.variational);
  }
  encoding.vectors = TransposeLeading(outputs);
  return encoding;
}

DecoderState EncoderDecoder::Start(const Context& ctx,
                                   const Encoding& encoding) const {
  DecoderState state(encoding.sources);
  if (ctx.training && config_.variational) state.dropout_key = ctx.NextKey();
  Var summary = encoding.summary;
  if (!summary.defined() && mean_) {
    summary = (*mean_)(ctx, encoding.vectors, encoding.lengths);
  }
  CheckShapes(config_.bridge == Bridge::kCopy ? !encoding.states.empty()
                                              : summary.defined(),
              "decoder",
              "it starts from the last state of a recurrent encoder, which "
              "these vectors do not have; choose the bridge 'mean'",
              {encoding.vectors.shape()});
  if (summary_) {
    summary = Tanh((*summary_)(ctx, summary));
    state.At(kSummary, StateRole::kRepeated) = summary;
    state.At(kContext, StateRole::kRepeated) = (*inner_)(ctx, summary);
  }
  KeepLayers(Bridge(ctx, encoding, summary), state);
  if (attention_) {
    state.MemoryOf(attention_->info().path) = attention_->Prepare(
        ctx, encoding.vectors, encoding.vectors, encoding.lengths, state);
  }
  const bool fed = config_.attention == AttentionPlace::kFed;
  if (config_.input_feeding || fed) {
    state.At(kFeed, StateRole::kRow) = Tensor::Zeros(
        {encoding.sources, fed ? encoder_.output_size() : config_.units},
        encoding.vectors.value().dtype());
  }
  return state;
}

Var EncoderDecoder::Features(const Context& ctx, const Tensor& tokens,
                             DecoderState& kept) const {
  State state = {kept, KeptLayers(kept), Kept(kept, kContext),
                 Kept(kept, kSummary), Kept(kept, kFeed)};
  const Var embedded = SequenceDropout(
      ctx, ObservedSteps(ctx, "target_inputs", target_embedding_(ctx, tokens)),
      config_.dropout, config_.variational);
  Var features = ReadOut(ctx, Run(ctx, embedded, state), embedded);
  KeepLayers(state.layers, kept);
  if (state.feed.defined()) kept.At(kFeed, StateRole::kRow) = state.feed;
  return features;
}

/// Summary of the source: the backward state at the first word, the last state
/// of a unidirectional encoder, or the mean of all outputs.
Var EncoderDecoder::Summary(const Context& ctx, const EncoderResult& encoded,
                            const Tensor& lengths) const {
  if (mean_) return (*mean_)(ctx, TransposeLeading(encoded.outputs), lengths);
  const LayerStates& states = encoded.backward_states.empty()
                                  ? encoded.states
                                  : encoded.backward_states;
  return Recurrent::Hidden(states.back());
}

LayerStates EncoderDecoder::Bridge(const Context& ctx, const Encoding& encoding,
                                   const Var& summary) const {
  if (config_.bridge == Bridge::kCopy) return encoding.states;
  LayerStates states;
  for (const Linear& layer : bridge_) {
    states.push_back(
        StateOf(Tanh(layer(ctx, summary)), StatesOfCell(config_.decoder_cell)));
  }
  return states;
}

EncoderDecoder::Seen EncoderDecoder::Run(const Context& ctx,
                                         const Var& embedded,
                                         State& state) const {
  const Var projected = decoder_[0].Project(ctx, embedded);
  if (!attention_) return RunFixed(ctx, projected, state);
  // Steps of a typical sentence need no allocation.
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
    const Seen seen = config_.attention == AttentionPlace::kBefore
                          ? StepBefore(ctx, step, state)
                      : config_.attention == AttentionPlace::kAfter
                          ? StepAfter(ctx, step, state)
                      : config_.attention == AttentionPlace::kFed
                          ? StepFed(ctx, step, state)
                          : StepBetween(ctx, step, state);
    states.push_back(seen.state);
    if (seen.context.defined()) contexts.push_back(seen.context);
  }
  return {Stack(states), contexts.empty() ? Var() : Stack(contexts)};
}

Var EncoderDecoder::Attend(const Context& ctx, const Var& query,
                           State& state) const {
  const int64_t rows = query.dim(0);
  DecoderState& kept = state.kept;
  const Attended attended = attention_->Attend(
      ctx, Reshape(query, {rows, 1, query.dim(1)}),
      &kept.MemoryOf(attention_->info().path), WantedWeights(kept));
  kept.weights = attended.last;
  ++kept.position;
  return Reshape(attended.context, {rows, attended.context.dim(2)});
}

Var EncoderDecoder::DropSteps(const Context& ctx, const Var& x,
                              const State& state, uint64_t site) const {
  if (!ctx.training) return x;
  if (!config_.variational) return Dropout(ctx, x, config_.dropout);
  return StepDropoutWithKey(x, config_.dropout, state.kept.dropout_key + site);
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
  return {config_.reads_previous_state ? before : after, context};
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
  return {config_.reads_previous_state ? before : DropTimeAxis(result.outputs),
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

EncoderDecoder::Seen EncoderDecoder::StepFed(const Context& ctx,
                                             const Var& projected,
                                             State& state) const {
  const Var before = Recurrent::Hidden(state.layers.back());
  const Var input = decoder_[0].AddProjection(ctx, projected, state.feed, 1);
  const Var after = DropTimeAxis(Advance(ctx, AddTimeAxis(input), state));
  state.feed = Attend(ctx, after, state);
  return {config_.reads_previous_state ? before : after, state.feed};
}

EncoderDecoder::Seen EncoderDecoder::RunFixed(const Context& ctx,
                                              const Var& projected,
                                              State& state) const {
  Seen seen;
  seen.state = Advance(ctx, projected, state);
  state.kept.position += projected.dim(0);
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
  if (config_.readout != Readout::kNone) {
    out = Affine(seen.state, ctx.Use(*readout_[0]), ctx.Use(*readout_bias_));
    out = MatMulAdd(std::move(out), embedded, ctx.Use(*readout_[1]));
    if (seen.context.defined()) {
      out = MatMulAdd(std::move(out), seen.context, ctx.Use(*readout_[2]));
    }
    out = config_.readout == Readout::kMaxout ? Maxout(out) : Tanh(out);
  }
  // With attention after the step, dropout was already applied.
  if (config_.attention != AttentionPlace::kAfter ||
      config_.readout != Readout::kNone) {
    out = SequenceDropout(ctx, out, config_.dropout, config_.variational);
  }
  return out;
}

OutlineSequence EncoderDecoder::OutlineEncoder() const {
  const OutlineBlock vectors = {
      {{.name = source_frames_ ? "linear, of frames" : "vectors",
        .features = config_.embedding}}};
  return {.name = "encoder",
          .axis = "source",
          .backwards = config_.reverse_source,
          .blocks = {
              source_embedding_
                  ? EmbeddingOutline(source_embedding_->weight().value().dim(0),
                                     config_.embedding)
                  : vectors,
              RecurrentOutline(config_.encoder)}};
}

OutlineSequence EncoderDecoder::OutlineDecoder() const {
  using Kind = OutlinePart::Kind;
  const ResolvedRecurrent& c = config_;
  const int64_t vocabulary = target_embedding_.weight().value().dim(0);
  OutlineSequence decoder = {
      .name = "decoder", .axis = "target_inputs", .writes = true};
  const auto add = [&](const OutlinePart& part, int64_t layers = 1) {
    decoder.blocks.push_back({{part}, layers});
  };
  const auto attend = [&](const char* query) {
    add(AttentionOutline(attention_->info(), Kind::kSource,
                         encoder_.output_size(), query));
  };
  const std::string cell = CellTitle(c.decoder_cell);
  const auto advance = [&](const char* result, const char* more) {
    const std::string formula = cell + "({yᵢ₋₁}, {sᵢ₋₁}" + more + ")";
    const int64_t layers = c.encoder.layers;
    add({Kind::kForward, cell, c.units, "", result,
         layers > 1 ? fmt::format("{} × {}", layers, formula) : formula},
        layers);
  };
  add(EmbeddingOutline(vocabulary, c.embedding, "", "yᵢ₋₁").parts[0]);
  std::string read = c.reads_previous_state && attention_ ? "sᵢ₋₁" : "sᵢ";
  std::string context = "; {cᵢ}";
  switch (c.attention) {
    case AttentionPlace::kBefore:
      attend("sᵢ₋₁");
      advance("sᵢ", ", {cᵢ}");
      break;
    case AttentionPlace::kBetween:
      advance("s′ᵢ", "");
      attend("s′ᵢ");
      add({Kind::kForward, cell, c.units, "", "sᵢ", cell + "({cᵢ}, {s′ᵢ})"});
      break;
    case AttentionPlace::kAfter:
      advance("sᵢ", c.input_feeding ? ", {h̃ᵢ₋₁}" : "");
      attend("sᵢ");
      add({Kind::kEach, "tanh(W [c; s])", c.units, "", "h̃ᵢ",
           "tanh(W [{cᵢ}; {sᵢ}])"});
      read = "h̃ᵢ";
      context = "";
      break;
    case AttentionPlace::kFed:
      advance("sᵢ", ", {cᵢ₋₁}");
      attend("sᵢ");
      break;
    case AttentionPlace::kNone:
      advance("sᵢ", c.context_in_gates ? ", {z}" : "");
      context = c.context_in_gates ? "; {z}" : "";
  }
  if (c.readout != Readout::kNone) {
    const std::string word = Named<Readout>(c.readout).word();
    add({Kind::kEach, word, c.readout_units, "", "tᵢ",
         fmt::format("{}(U [{{{}}}; {{yᵢ₋₁}}{}])", word, read, context)});
    read = "tᵢ";
  }
  add({Kind::kEach, "softmax", vocabulary, "", "yᵢ",
       fmt::format("softmax(W {{{}}})", read)});
  return decoder;
}

ModelOutline EncoderDecoder::Outline() const {
  const ResolvedRecurrent& c = config_;
  ModelOutline outline;
  outline.sequences = {OutlineEncoder(), OutlineDecoder()};
  outline.bridge_from_first =
      c.encoder.bidirectional && c.bridge != Bridge::kMean;
  outline.bridge_features = c.units;
  const char* of = c.bridge == Bridge::kMean ? "mean of h"
                   : c.encoder.bidirectional ? "backward h₁"
                                             : "last h";
  outline.bridge =
      c.bridge == Bridge::kCopy
          ? "z: the last states, as they are"
          : fmt::format("z = tanh(W {}){}", of,
                        c.context_in_gates ? ", at every step" : "");
  if (attention_) outline.attention = attention_->info().path;
  return outline;
}

}  // namespace heed
