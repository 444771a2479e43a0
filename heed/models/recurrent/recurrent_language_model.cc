#include "heed/models/recurrent/recurrent_language_model.h"

#include "heed/models/outline_parts.h"

namespace heed {

void RecurrentLanguageConfig::Visit(FieldList& v) {
  rnn.Visit(v);
  v.Section("Embeddings");
  v("embedding", embedding, Range(0, 65536),
    "features of a token; 0: as units");
  v("tie_output", tie_output, "use the embeddings as output matrix");
}

void RecurrentLanguageConfig::Fill() {
  rnn.Fill(/*causal=*/true);
  if (embedding == 0) embedding = rnn.units;
}

ResolvedRecurrentLanguage RecurrentLanguageConfig::Resolve() const {
  RecurrentLanguageConfig c = *this;
  c.Fill();
  return {c.rnn.Resolve(/*causal=*/true), c.embedding, c.tie_output};
}

RecurrentLanguageModel::RecurrentLanguageModel(
    const ResolvedRecurrentLanguage& config, int vocabulary, uint64_t seed,
    DType dtype)
    : LanguageModel(seed, dtype, config.rnn.precision),
      embedding_(Scope(parameters_, "embedding"), vocabulary, config.embedding,
                 kEmbeddingInit),
      encoder_(Scope(parameters_, "encoder"), config.rnn, config.embedding) {
  const int64_t features = encoder_.output_size();
  const Scope output(parameters_, "output");
  if (!config.tie_output) {
    output_.emplace(output, features, vocabulary,
                    config.rnn.recurrent.input_init, true);
    return;
  }
  if (features != config.embedding) {
    projection_.emplace(Scope(parameters_, "projection"), features,
                        config.embedding, config.rnn.recurrent.input_init);
  }
  output_.emplace(output, embedding_, true);
}

Var RecurrentLanguageModel::Features(const Context& ctx, const Tensor& tokens,
                                     DecoderState& state) const {
  const Var x = ctx.Input("source", embedding_(ctx, BatchFirst(tokens)));
  Var y;
  if (state.whole) {
    y = encoder_(
        ctx, x,
        Tensor::Full({x.dim(0)}, static_cast<double>(x.dim(1)), DType::kI32));
  } else {
    y = encoder_.Step(ctx, x, state);
  }
  // Transpose the few features instead of the many scores.
  return TimeFirst(projection_ ? (*projection_)(ctx, y) : y);
}

ModelOutline RecurrentLanguageModel::Outline() const {
  const Shape& shape = embedding_.weight().value().shape();
  std::vector<OutlineBlock> blocks =
      OnBlock(EmbeddingOutline(shape[0], shape[1]), encoder_.Outline());
  if (projection_) {
    blocks.push_back({{{.name = "linear", .features = shape[1]}}, 1});
  }
  blocks.push_back(OutputOutline("softmax", shape[0]));
  return {{}, {{"decoder", "source", true, false, std::move(blocks)}}};
}

}  // namespace heed
