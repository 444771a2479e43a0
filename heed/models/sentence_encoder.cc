#include "heed/models/sentence_encoder.h"

#include <utility>

#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"

namespace heed {

FeatureEncoder::FeatureEncoder(const Scope& scope,
                               const WordFeaturesConfig& config,
                               const WordSizes& sizes,
                               const MakeEncoder& make_encoder)
    : features_(scope / "features", config, sizes, kGlorotInit),
      encoder_(make_encoder(scope / "encoder", features_.output_size())) {}

SentenceStates FeatureEncoder::operator()(const Context& ctx,
                                          const SentenceBatch& batch) const {
  return {(*encoder_)(ctx, features_(ctx, batch.words), batch.lengths), {}};
}

PieceEncoder::PieceEncoder(const Scope& scope,
                           std::unique_ptr<TextEncoder> encoder, bool pools)
    : encoder_(std::move(encoder)) {
  const int64_t width = encoder_->output_size();
  if (pools) pooler_.emplace(scope / "pooler", width, width, kGlorotInit);
}

SentenceStates PieceEncoder::operator()(const Context& ctx,
                                        const SentenceBatch& batch) const {
  const PieceIds& pieces = batch.pieces;
  CheckShapes(pieces.first.defined() && pieces.first.rank() == 2 &&
                  pieces.start.defined() &&
                  pieces.start.shape() == Shape{pieces.first.dim(0)},
              "piece encoder", "places that are not [B, T] and [B]",
              {pieces.first.shape(), pieces.start.shape()});
  const Var states = (*encoder_)(ctx, TextInput{pieces.ids, pieces.lengths});
  SentenceStates result;
  result.words = StatesAt(states, pieces.first);
  if (pooler_) {
    result.sentence = Tanh((*pooler_)(ctx, StatesAt(states, pieces.start)));
  }
  return result;
}

}  // namespace heed
