#include "heed/models/text_encoder.h"

#include <utility>

#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {

EmbeddedTextEncoder::EmbeddedTextEncoder(
    const Scope& scope, const Sizes& sizes,
    std::unique_ptr<SequenceEncoder> encoder)
    : tokens_(scope / "embedding", sizes.vocabulary, sizes.features,
              kEmbeddingInit),
      encoder_(std::move(encoder)) {
  if (sizes.segments > 1) {
    segments_.emplace(scope / "segments", sizes.segments, sizes.features,
                      kEmbeddingInit);
  }
}

Var EmbeddedTextEncoder::operator()(const Context& ctx, const Tensor& ids,
                                    const Tensor& lengths,
                                    const Tensor& segments) const {
  CheckShapes(ids.rank() == 2, "text encoder", "ids that are not [B, S]",
              {ids.shape()});
  Var x = ctx.Input("source", tokens_(ctx, ids));
  if (segments_) {
    const Tensor all =
        segments.defined() ? segments : Tensor::Zeros(ids.shape(), DType::kI32);
    x = Add(x, (*segments_)(ctx, all));
  }
  return (*encoder_)(ctx, x, lengths);
}

Var StatesAt(const Var& states, const Tensor& places) {
  return Embed(Reshape(states, {states.dim(0) * states.dim(1), states.dim(2)}),
               places);
}

}  // namespace heed
