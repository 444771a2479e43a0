#include "heed/models/recurrent_language_model.h"

#include <utility>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/gather.h"
#include "heed/models/prompt.h"
#include "heed/models/transformer_config.h"
#include "heed/ops/check.h"
#include "heed/ops/shape.h"

namespace heed {

void RecurrentLanguageConfig::Visit(FieldList& v) {
  rnn.Visit(v);
  v.Section("Embeddings");
  v("embedding", embedding, Range(0, 65536),
    "features of a token; 0: as units");
  v("tie_output", tie_output, "use the embeddings as output matrix");
}

void RecurrentLanguageConfig::Resolve() {
  rnn.Resolve(true);
  if (embedding == 0) embedding = rnn.units;
}

struct RecurrentLanguageModel::State : DecodingState {
  RnnEncoder::State encoder;
  Tensor prompt;  // [R, S], not read yet; undefined: it is
  std::optional<OutputProjection> output;  // of the words that are asked for

  void Reorder(const Tensor& rows, const Tensor& /*sources*/) override {
    encoder.Select(rows);
    if (prompt.defined()) prompt = kernels::Gather(prompt, rows);
  }
};

RecurrentLanguageModel::RecurrentLanguageModel(
    const RecurrentLanguageConfig& config, int vocabulary, uint64_t seed,
    DType dtype)
    : SequenceModel(seed, dtype, ParsePrecision(config.rnn.precision)),
      embedding_(Scope(parameters_, "embedding"), vocabulary, config.embedding,
                 kEmbeddingInit),
      encoder_(Scope(parameters_, "encoder"), config.rnn, config.embedding,
               /*causal=*/true) {
  const int64_t features = encoder_.output_size();
  const Scope output(parameters_, "output");
  if (!config.tie_output) {
    output_.emplace(output, features, vocabulary, InputInit(config.rnn), true);
    return;
  }
  if (features != config.embedding) {
    projection_.emplace(Scope(parameters_, "projection"), features,
                        config.embedding, InputInit(config.rnn));
  }
  output_.emplace(output, embedding_, true);
}

Var RecurrentLanguageModel::Project(const Context& ctx,
                                    const Var& outputs) const {
  return projection_ ? (*projection_)(ctx, outputs) : outputs;
}

Var RecurrentLanguageModel::Features(const Context& ctx,
                                     const Tensor& target_in) const {
  CheckShapes(target_in.rank() == 2 && target_in.dtype() == DType::kI32,
              "language model", "tokens that are not i32 [T, B]",
              {target_in.shape()});
  const Tensor lengths = Tensor::Full(
      {target_in.dim(1)}, static_cast<double>(target_in.dim(0)), DType::kI32);
  const Var x = ctx.Input(
      "source", embedding_(ctx, kernels::TransposeLeading(target_in)));
  const Var y = Project(ctx, encoder_(ctx, x, lengths));
  // The few features change places, not the many scores.
  return TransposeLeading(y);
}

Var RecurrentLanguageModel::Logits(const Context& ctx, const Tensor& /*source*/,
                                   const Tensor& /*lengths*/,
                                   const Tensor& target_in) const {
  return (*output_)(ctx, Features(ctx, target_in));
}

CrossEntropyLoss RecurrentLanguageModel::Loss(
    const Context& ctx, const Tensor& /*source*/, const Tensor& /*lengths*/,
    const Tensor& target_in, const Tensor& targets,
    const CrossEntropyOptions& options) const {
  return output_->Loss(ctx, Features(ctx, target_in), targets, options);
}

std::unique_ptr<DecodingState> RecurrentLanguageModel::Start(
    const Context& /*ctx*/, const Tensor& source, const Tensor& lengths) const {
  auto state = std::make_unique<State>();
  state->prompt = ReadPrompt(source, lengths);
  return state;
}

Var RecurrentLanguageModel::Step(const Context& ctx, const Tensor& tokens,
                                 DecodingState& decoding) const {
  auto& state = dynamic_cast<State&>(decoding);
  const Tensor ids =
      BeforePrompt(tokens, std::exchange(state.prompt, Tensor()));
  const Var steps = encoder_.Step(ctx, embedding_(ctx, ids), state.encoder);
  const Var last = Select(TransposeLeading(steps), ids.dim(1) - 1);
  const Var y = Project(ctx, last);
  if (!state.options().outputs.defined()) return (*output_)(ctx, y);
  if (!state.output) {
    state.output = output_->Restricted(state.options().outputs);
  }
  return (*state.output)(ctx, y);
}

}  // namespace heed
