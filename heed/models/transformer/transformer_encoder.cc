#include "heed/models/transformer/transformer_encoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "heed/models/outline_parts.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/residual.h"

namespace heed {
namespace {

Positions MakePositions(const Scope& scope, const ResolvedTransformer& c,
                        DType dtype) {
  return {scope / "positions", c.positions,      c.max_positions,
          c.stack.width,       c.embedding_init, dtype};
}

TransformerOptions Causally(TransformerOptions options, bool causal) {
  options.causal = causal;
  return options;
}

}  // namespace

TextEmbedding::TextEmbedding(const Scope& scope,
                             const ResolvedTransformer& config,
                             const Embedding& tokens, std::string input)
    : input_(std::move(input)),
      input_positions_(input_ + ".positions"),
      input_segments_(input_ + ".segments"),
      input_sum_(input_ + ".sum"),
      position_kind_(config.positions),
      tokens_(tokens),
      positions_(MakePositions(scope, config, tokens.weight().value().dtype())),
      scale_(config.embedding_scale),
      dropout_(config.stack.dropout) {
  if (config.segments > 0) {
    segments_.emplace(scope / "segments", config.segments, config.stack.width,
                      config.embedding_init);
  }
  if (config.embedding_norm) {
    norm_.emplace(scope / "embedding" / "norm", config.stack.width,
                  config.stack.epsilon);
  }
}

Var TextEmbedding::operator()(const Context& ctx, const Tensor& ids,
                              int64_t offset, const Tensor& segments) const {
  const bool observed = ctx.ObservesInput(input_);
  const bool apart = positions_.learned() || observed;
  const bool more = apart || segments_ || norm_;
  Var x = EmbedScaled(
      ctx, ctx.Use(tokens_.weight()), ids, scale_,
      observed ? Tensor() : positions_.Rows(offset, offset + ids.dim(1)), 0,
      more ? 0 : dropout_);
  if (!more) return x;
  x = ctx.Input(input_, x);
  return Finish(ctx, apart ? AddPositions(ctx, x, offset) : x, segments);
}

Var TextEmbedding::OfVectors(const Context& ctx, const Var& x) const {
  return Finish(ctx, AddPositions(ctx, ctx.Input(input_, x), 0), {});
}

OutlineBlock TextEmbedding::Outline() const {
  std::vector<std::string> added;
  if (position_kind_ != PositionKind::kNone) added.emplace_back("positions");
  if (segments_) added.emplace_back("segments");
  const Shape& shape = tokens_.weight().value().shape();
  return EmbeddingOutline(shape[0], shape[1],
                          fmt::format("{}", fmt::join(added, " + ")));
}

Var TextEmbedding::AddPositions(const Context& ctx, const Var& x,
                                int64_t offset) const {
  if (position_kind_ == PositionKind::kNone ||
      !ctx.ObservesInput(input_positions_)) {
    return positions_.AddTo(ctx, x, offset);
  }
  const Var nothing = Tensor::Zeros(x.shape(), x.value().dtype());
  return Add(
      x, ctx.Input(input_positions_, positions_.AddTo(ctx, nothing, offset)));
}

Var TextEmbedding::Finish(const Context& ctx, Var x,
                          const Tensor& segments) const {
  if (segments_) {
    const Tensor ids = segments.defined()
                           ? segments
                           : Tensor::Zeros({x.dim(0), x.dim(1)}, DType::kI32);
    x = Add(x, ctx.Input(input_segments_, (*segments_)(ctx, ids)));
  }
  if (norm_) x = (*norm_)(ctx, x);
  return Dropout(ctx, ctx.Input(input_sum_, x), dropout_);
}

TransformerTextEncoder::TransformerTextEncoder(
    const Scope& scope, const ResolvedTransformer& config, int64_t vocabulary)
    : TransformerTextEncoder(
          scope, config,
          Embedding(scope / "embedding", vocabulary, config.stack.width,
                    config.embedding_init)) {}

TransformerTextEncoder::TransformerTextEncoder(
    const Scope& scope, const ResolvedTransformer& config,
    const Embedding& tokens)
    : tokens_(tokens),
      embedding_(scope, config, tokens, "source"),
      stack_(scope, config.stack) {}

Var TransformerTextEncoder::operator()(const Context& ctx,
                                       const TextInput& text) const {
  const Tensor& ids = text.ids;
  CheckShapes(ids.rank() == 2 && text.lengths.defined(), "encoder",
              "ids that are not [B, S] with lengths", {ids.shape()});
  CheckLengths("encoder", text.lengths, ids.dim(0), ids.dim(1));
  CheckVectors(text, 0);
  return stack_(ctx, embedding_(ctx, ids, 0, text.segments),
                Padding(text.lengths));
}

std::vector<OutlineBlock> TransformerTextEncoder::Outline() const {
  return {embedding_.Outline(), StackOutline(stack_.options())};
}

Var TransformerTextEncoder::OfVectors(const Context& ctx, const Var& x,
                                      const Tensor& lengths,
                                      const Mask& mask) const {
  return stack_(ctx, embedding_.OfVectors(ctx, x), Padding(lengths) && mask);
}

TransformerEncoder::TransformerEncoder(const Scope& scope,
                                       const ResolvedTransformer& config,
                                       int64_t inputs, bool causal)
    : inputs_(inputs),
      dropout_(config.stack.dropout),
      stack_(scope, Causally(config.stack, causal)),
      positions_(MakePositions(scope, config, stack_.dtype())) {
  if (inputs != config.stack.width) {
    input_.emplace(scope / "input", inputs, config.stack.width,
                   config.stack.init);
  }
}

Var TransformerEncoder::operator()(const Context& ctx, const Var& x,
                                   const Tensor& lengths) const {
  CheckShapes(x.shape().rank() == 3 && x.dim(2) == inputs_ && lengths.defined(),
              "encoder", "an input that is not [B, S, inputs] with lengths",
              {x.shape(), {inputs_}});
  CheckLengths("encoder", lengths, x.dim(0), x.dim(1));
  const Var y = positions_.AddTo(ctx, input_ ? (*input_)(ctx, x) : x, 0);
  return stack_(ctx, Dropout(ctx, y, dropout_), Padding(lengths));
}

std::vector<OutlineBlock> TransformerEncoder::Outline() const {
  std::vector<OutlineBlock> blocks;
  if (input_) {
    blocks.push_back({{{.name = "linear", .features = stack_.width()}}, 1});
  }
  blocks.push_back(StackOutline(stack_.options()));
  return blocks;
}

}  // namespace heed
