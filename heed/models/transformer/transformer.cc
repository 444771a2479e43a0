#include "heed/models/transformer/transformer.h"

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/models/outline_parts.h"

namespace heed {
namespace {

/// Label of a decoder's input, given the features of its source.
std::string InputOf(int64_t source) {
  return source > 0 ? "target_inputs" : "source";
}

TransformerOptions WriterOptions(const ResolvedTransformer& config,
                                 int64_t source) {
  TransformerOptions options = config.stack;
  options.layers = config.decoder_layers;
  options.causal = true;
  options.recurrent = config.recurrent_decoder;
  options.source = source;
  options.input = InputOf(source);
  if (source > 0) {
    options.alignment_layer = config.alignment_layer;
    options.alignment_head = config.alignment_head;
  }
  return options;
}

Embedding MakeEmbedding(ParameterSet& set, const std::string& path,
                        const ResolvedTransformer& c, int64_t vocabulary) {
  return {Scope(set, path), vocabulary, c.stack.width, c.embedding_init};
}

/// Token ids [B, T] in which no token stands for the first one.
Tensor WithoutFirst(const Tensor& tokens) {
  Tensor ids = tokens.Clone();
  for (int64_t b = 0; b < ids.dim(0); ++b) ids.row<int32_t>(b)[0] = -1;
  return ids;
}

OutputProjection MakeOutput(const Scope& scope, const ResolvedTransformer& c,
                            const Embedding& tokens) {
  const Scope output = scope / "output";
  if (TiesOutput(c.tie)) {
    return {output, tokens, c.output_bias};
  }
  return {output, c.stack.width, tokens.weight().value().dim(0), c.stack.init,
          c.output_bias};
}

}  // namespace

TransformerDecoder::TransformerDecoder(const Scope& scope,
                                       const ResolvedTransformer& config,
                                       const Embedding& tokens, int64_t source)
    : embedding_(scope, config, tokens, InputOf(source)),
      stack_(scope, WriterOptions(config, source)),
      output_(MakeOutput(scope, config, tokens)),
      vocabulary_(tokens.weight().value().dim(0)) {}

Var TransformerDecoder::Features(const Context& ctx, const Tensor& tokens,
                                 DecoderState& state) const {
  const bool start = stack_.options().recurrent && state.position == 0;
  const Var x = embedding_(
      ctx, start ? WithoutFirst(BatchFirst(tokens)) : BatchFirst(tokens),
      state.position);
  // Transpose the few features instead of the many scores.
  return TimeFirst(stack_(ctx, x, {}, &state));
}

OutlineSequence TransformerDecoder::Outline() const {
  const TransformerOptions& options = stack_.options();
  OutlineSequence sequence = {"decoder", options.input, true, false, {}};
  sequence.blocks = {embedding_.Outline(), StackOutline(options),
                     OutputOutline("softmax", vocabulary_)};
  return sequence;
}

Transformer::Transformer(const ResolvedTransformer& config,
                         int source_vocabulary, int target_vocabulary,
                         uint64_t seed, DType dtype)
    : Decoder(seed, dtype, config.stack.precision),
      source_tokens_(MakeEmbedding(
          parameters_,
          SharesSides(config.tie) ? "embedding" : "encoder.embedding", config,
          source_vocabulary)),
      target_tokens_(SharesSides(config.tie)
                         ? source_tokens_
                         : MakeEmbedding(parameters_, "decoder.embedding",
                                         config, target_vocabulary)),
      encoder_(Scope(parameters_, "encoder"), config, source_tokens_),
      decoder_(Scope(parameters_, "decoder"), config, target_tokens_,
               config.stack.width),
      alignment_layer_(config.alignment_layer),
      alignment_head_(config.alignment_head) {
  if (SharesSides(config.tie) && source_vocabulary != target_vocabulary) {
    throw ConfigError(
        "tie '{}' needs a joint vocabulary, but the source has {} tokens and "
        "the target {}; choose tie 'output' or a joint vocabulary",
        Named<Tie>(config.tie).word(), source_vocabulary, target_vocabulary);
  }
}

ModelOutline Transformer::Outline() const {
  return {{},
          {{"encoder", "source", false, false, encoder_.Outline()},
           decoder_.Outline()}};
}

std::string Transformer::alignment_attention() const {
  const std::vector<std::string> all = decoder_.source_attentions();
  return At(all, alignment_layer_);
}

Encoding Transformer::Encode(const Context& ctx, const Inputs& inputs) const {
  inputs.Check("encoder", encoder_.output_size());
  Encoding encoding;
  encoding.sources = inputs.size();
  encoding.lengths = inputs.lengths;
  encoding.vectors =
      inputs.kind == Inputs::Kind::kIds
          ? encoder_(ctx, TextInput{BatchFirst(inputs.ids), inputs.lengths})
          : encoder_.OfVectors(ctx, inputs.vectors, inputs.lengths,
                               inputs.neighbours);
  return encoding;
}

DecoderState Transformer::Start(const Context& /*ctx*/,
                                const Encoding& encoding) const {
  DecoderState state(encoding.sources);
  TransformerStack::SetSource(encoding.vectors, encoding.lengths, state);
  return state;
}

TransformerLanguageModel::TransformerLanguageModel(
    const ResolvedTransformer& config, int vocabulary, uint64_t seed,
    DType dtype)
    : LanguageModel(seed, dtype, config.stack.precision),
      decoder_(
          Scope(parameters_, "decoder"), config,
          MakeEmbedding(parameters_, "decoder.embedding", config, vocabulary),
          0) {}

}  // namespace heed
