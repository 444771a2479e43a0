#include "heed/models/text_encoder.h"

#include <utility>

#include "heed/models/outline_parts.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {

EmbeddedTextEncoder::EmbeddedTextEncoder(
    const Scope& scope, const TextSizes& sizes, int64_t features,
    std::unique_ptr<SequenceEncoder> encoder)
    : tokens_(scope / "embedding", sizes.vocabulary, features, kEmbeddingInit),
      vectors_(sizes.vectors),
      encoder_(std::move(encoder)) {
  if (sizes.segments > 1) {
    segments_.emplace(scope / "segments", sizes.segments, features,
                      kEmbeddingInit);
  }
}

Var EmbeddedTextEncoder::operator()(const Context& ctx,
                                    const TextInput& text) const {
  const Tensor& ids = text.ids;
  CheckShapes(ids.rank() == 2, "text encoder", "ids that are not [B, S]",
              {ids.shape()});
  CheckVectors(text, vectors_);
  Var x = ctx.Input("source", tokens_(ctx, ids));
  if (segments_) {
    const Tensor all = text.segments.defined()
                           ? text.segments
                           : Tensor::Zeros(ids.shape(), DType::kI32);
    x = Add(x, (*segments_)(ctx, all));
  }
  return (*encoder_)(ctx, WithVectors(x, text.vectors), text.lengths);
}

std::vector<OutlineBlock> EmbeddedTextEncoder::Outline() const {
  const Shape& shape = tokens_.weight().value().shape();
  return OnBlock(EmbeddingOutline(shape[0], shape[1],
                                  vectors_ > 0 ? "word vectors"
                                  : segments_  ? "segments"
                                               : ""),
                 encoder_->Outline());
}

Var WithVectors(const Var& x, const Tensor& vectors) {
  if (!vectors.defined()) return x;
  return ConcatColumns({x, Var(vectors.To(x.value().dtype()))});
}

void CheckVectors(const TextInput& text, int64_t vectors) {
  CheckShapes(
      vectors == 0 ? !text.vectors.defined()
                   : text.vectors.defined() &&
                         text.vectors.shape() ==
                             Shape({text.ids.dim(0), text.ids.dim(1), vectors}),
      "text", "tokens with other pretrained vectors than the model reads",
      {text.ids.shape(), text.vectors.shape()});
}

Var StatesAt(const Var& states, const Tensor& places) {
  return Embed(Reshape(states, {states.dim(0) * states.dim(1), states.dim(2)}),
               places);
}

}  // namespace heed
