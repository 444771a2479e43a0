#include "heed/models/transformer.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "heed/base/errors.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/models/prompt.h"
#include "heed/ops/check.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// What a decoder reads besides its source, if it has one.
std::string InputOf(int64_t source) {
  return source > 0 ? "target_inputs" : "source";
}

TransformerOptions WriterOptions(const TransformerConfig& config,
                                 int64_t source) {
  TransformerOptions options = StackOptions(config);
  options.layers = config.decoder_layers;
  options.causal = true;
  options.source = source;
  options.input = InputOf(source);
  if (source > 0) {
    options.alignment_layer = config.alignment_layer;
    options.alignment_head = config.alignment_head;
  }
  return options;
}

Embedding MakeEmbedding(ParameterSet& set, const std::string& path,
                        const TransformerConfig& c, int64_t vocabulary) {
  return {Scope(set, path), vocabulary, c.width, EmbeddingInit(c)};
}

bool SharesSides(const TransformerConfig& c) {
  return c.tie == "source_target" || c.tie == "all";
}

OutputProjection MakeOutput(const Scope& scope, const TransformerConfig& c,
                            const Embedding& tokens) {
  const Scope output = scope / "output";
  if (c.tie == "output" || c.tie == "all") {
    return {output, tokens, c.output_bias};
  }
  return {output, c.width, tokens.weight().value().dim(0), MatrixInit(c),
          c.output_bias};
}

/// Ids [T, B] as [B, T].
Tensor BatchFirst(const Tensor& ids) {
  CheckShapes(ids.rank() == 2 && ids.dtype() == DType::kI32, "transformer",
              "tokens that are not i32 [T, B]", {ids.shape()});
  return kernels::TransposeLeading(ids);
}

/// The last position of each row. Shapes: x [R, T, M], result [R, M].
Var LastPosition(const Var& x) {
  if (x.dim(1) == 1) return Reshape(x, {x.dim(0), x.dim(2)});
  return Select(TransposeLeading(x), x.dim(1) - 1);
}

}  // namespace

struct TransformerDecoder::State : DecodingState {
  TransformerState stack;
  Tensor prompt;  // [R, S], not read yet; undefined: there is none
  std::optional<OutputProjection> output;  // of the words that are asked for

  void Reorder(const Tensor& rows, const Tensor& sources) override {
    stack.Reorder(rows, sources);
    if (prompt.defined()) prompt = kernels::Gather(prompt, rows);
    if (weights_.defined()) weights_ = kernels::Gather(weights_, rows);
  }
  Tensor* wanted_weights(bool attends) {
    return attends && options_.weights ? &weights_ : nullptr;
  }
};

TransformerDecoder::TransformerDecoder(const Scope& scope,
                                       const TransformerConfig& config,
                                       const Embedding& tokens, int64_t source)
    : embedding_(scope, config, tokens, InputOf(source)),
      stack_(scope, WriterOptions(config, source)),
      output_(MakeOutput(scope, config, tokens)),
      attends_(source > 0) {}

Var TransformerDecoder::Features(const Context& ctx, const Tensor& target_in,
                                 const Var& source,
                                 const Mask& source_mask) const {
  const Var x = embedding_(ctx, BatchFirst(target_in));
  // The few features change places, not the many scores.
  return TransposeLeading(stack_(ctx, x, {}, source, source_mask));
}

std::unique_ptr<DecodingState> TransformerDecoder::Start(
    const Context& ctx, const Var& source, const Tensor& source_lengths,
    const Tensor& prompt) const {
  auto state = std::make_unique<State>();
  state->stack = stack_.Start(ctx, source, source_lengths);
  state->prompt = prompt;
  return state;
}

Var TransformerDecoder::Step(const Context& ctx, const Tensor& tokens,
                             DecodingState& decoding) const {
  auto& state = dynamic_cast<State&>(decoding);
  const Tensor ids =
      BeforePrompt(tokens, std::exchange(state.prompt, Tensor()));
  const Var x = embedding_(ctx, ids, state.stack.position);
  const Var y = LastPosition(
      stack_.Step(ctx, x, state.stack, state.wanted_weights(attends_)));
  const StepOptions& options = state.options();
  if (options.outputs.defined() && !state.output) {
    state.output = output_.Restricted(options.outputs);
  }
  const OutputProjection& scores = state.output ? *state.output : output_;
  state.SetTopK(
      scores.TopK(ctx, y.value(), options.top_k, options.first, options.sums));
  return state.top_k().defined() ? Var() : scores(ctx, y);
}

Transformer::Transformer(const TransformerConfig& config, int source_vocabulary,
                         int target_vocabulary, uint64_t seed, DType dtype)
    : SequenceModel(seed, dtype, ParsePrecision(config.precision)),
      source_tokens_(MakeEmbedding(
          parameters_, SharesSides(config) ? "embedding" : "encoder.embedding",
          config, source_vocabulary)),
      target_tokens_(SharesSides(config)
                         ? source_tokens_
                         : MakeEmbedding(parameters_, "decoder.embedding",
                                         config, target_vocabulary)),
      encoder_(Scope(parameters_, "encoder"), config, source_tokens_),
      decoder_(Scope(parameters_, "decoder"), config, target_tokens_,
               config.width),
      alignment_layer_(config.alignment_layer),
      alignment_head_(config.alignment_head) {
  if (SharesSides(config) && source_vocabulary != target_vocabulary) {
    throw ConfigError(fmt::format(
        "tie '{}' needs a joint vocabulary, but the source has {} tokens and "
        "the target {}; choose tie 'output' or a joint vocabulary",
        config.tie, source_vocabulary, target_vocabulary));
  }
}

std::string Transformer::alignment_attention() const {
  const std::vector<std::string> all = decoder_.source_attentions();
  return alignment_layer_ < 0 ? all.back()
                              : all[static_cast<size_t>(alignment_layer_)];
}

Var Transformer::Encode(const Context& ctx, const Tensor& source,
                        const Tensor& lengths) const {
  return encoder_(ctx, BatchFirst(source), lengths);
}

Var Transformer::Features(const Context& ctx, const Tensor& source,
                          const Tensor& lengths,
                          const Tensor& target_in) const {
  return decoder_.Features(ctx, target_in, Encode(ctx, source, lengths),
                           Padding(lengths));
}

Var Transformer::Logits(const Context& ctx, const Tensor& source,
                        const Tensor& lengths, const Tensor& target_in) const {
  return decoder_.output()(ctx, Features(ctx, source, lengths, target_in));
}

CrossEntropyLoss Transformer::Loss(const Context& ctx, const Tensor& source,
                                   const Tensor& lengths,
                                   const Tensor& target_in,
                                   const Tensor& targets,
                                   const CrossEntropyOptions& options) const {
  return decoder_.output().Loss(ctx, Features(ctx, source, lengths, target_in),
                                targets, options);
}

std::unique_ptr<DecodingState> Transformer::Start(const Context& ctx,
                                                  const Tensor& source,
                                                  const Tensor& lengths) const {
  return decoder_.Start(ctx, Encode(ctx, source, lengths), lengths, {});
}

Var Transformer::Step(const Context& ctx, const Tensor& tokens,
                      DecodingState& state) const {
  return decoder_.Step(ctx, tokens, state);
}

TransformerLanguageModel::TransformerLanguageModel(
    const TransformerConfig& config, int vocabulary, uint64_t seed, DType dtype)
    : SequenceModel(seed, dtype, ParsePrecision(config.precision)),
      decoder_(
          Scope(parameters_, "decoder"), config,
          MakeEmbedding(parameters_, "decoder.embedding", config, vocabulary),
          0) {}

Var TransformerLanguageModel::Logits(const Context& ctx,
                                     const Tensor& /*source*/,
                                     const Tensor& /*lengths*/,
                                     const Tensor& target_in) const {
  return decoder_.output()(ctx, decoder_.Features(ctx, target_in, {}, {}));
}

CrossEntropyLoss TransformerLanguageModel::Loss(
    const Context& ctx, const Tensor& /*source*/, const Tensor& /*lengths*/,
    const Tensor& target_in, const Tensor& targets,
    const CrossEntropyOptions& options) const {
  return decoder_.output().Loss(ctx, decoder_.Features(ctx, target_in, {}, {}),
                                targets, options);
}

std::unique_ptr<DecodingState> TransformerLanguageModel::Start(
    const Context& ctx, const Tensor& source, const Tensor& lengths) const {
  return decoder_.Start(ctx, {}, {}, ReadPrompt(source, lengths));
}

Var TransformerLanguageModel::Step(const Context& ctx, const Tensor& tokens,
                                   DecodingState& state) const {
  return decoder_.Step(ctx, tokens, state);
}

}  // namespace heed
