#include "heed/models/tagger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/rowwise.h"
#include "heed/kernels/topk.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr int32_t kNone = -1;

/// x [B, T, C] + row [B, C] at every t.
Var AddToSteps(const Var& x, const Var& row) {
  const Var steps = AddPairs(Reshape(row, {row.dim(0), 1, row.dim(1)}), x);
  return Reshape(steps, x.shape());
}

/// Lengths, with 0 for rows that have a tag which is not known.
Tensor LengthsOfKnown(const Tensor& lengths, const Tensor& tags) {
  Tensor known = lengths.Clone();
  for (int64_t b = 0; b < known.numel(); ++b) {
    const int32_t* row = tags.row<int32_t>(b);
    int32_t& length = known.data<int32_t>()[b];
    if (std::find(row, row + length, kNone) != row + length) length = 0;
  }
  return known;
}

struct Best {
  Tensor ids;
  Tensor probabilities;
};

/// The likeliest class of each row of scores [..., C].
Best BestOf(const Var& scores) {
  Best best;
  const Tensor logs = kernels::LogSoftmax(scores.value().Contiguous());
  kernels::TopK(logs, 1, best.probabilities, best.ids, nullptr);
  best.probabilities = kernels::Exp(best.probabilities);
  return best;
}

/// p[b, t, tags[b, t]].
Tensor Chosen(const Tensor& p, const Tensor& tags) {
  Tensor chosen(tags.shape(), p.dtype());
  const auto pick = [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < tags.numel(); ++i) {
      chosen.data<T>()[i] = p.row<T>(i)[tags.data<int32_t>()[i]];
    }
  };
  p.dtype() == DType::kF64 ? pick(double{}) : pick(float{});
  return chosen;
}

}  // namespace

void TaggerConfig::Visit(FieldList& v) {
  v.Section("Tags");
  v("tag_decoder", tag_decoder, OneOf{"crf", "softmax"},
    "tags of a sentence by a conditional random field, or each by itself");
  v("output_dropout", output_dropout, UpToBelow(0, 1),
    "probability to drop features of what the encoder gives");
  v("intent_weight", intent_weight, Above(0),
    "how much the loss of an intent counts beside that of a tag");
  v("intent_informs_tags", intent_informs_tags,
    "tags see what the intent is chosen by");
}

Tagger::Tagger(const Scope& scope, const TaggerConfig& config,
               const TaggerSizes& sizes,
               std::unique_ptr<SentenceEncoder> encoder)
    : config_(config),
      encoder_(std::move(encoder)),
      tags_(scope / "tags", encoder_->output_size(), sizes.tags, kGlorotInit) {
  const int64_t width = encoder_->output_size();
  if (config_.tag_decoder == "crf") {
    const Scope crf = scope / "crf";
    crf_ = {&crf.Add("between", {sizes.tags, sizes.tags}, kZeroInit),
            &crf.Add("start", {sizes.tags}, kZeroInit),
            &crf.Add("end", {sizes.tags}, kZeroInit)};
  }
  if (sizes.intents == 0) return;
  if (!encoder_->pools()) {
    PoolingOptions pooling;
    pooling.kind = "attention";
    pooling.features = width;
    pooling.init = kGlorotInit;
    pooling_.emplace(scope / "pooling", pooling);
  }
  intents_.emplace(scope / "intents", width, sizes.intents, kGlorotInit);
  if (config_.intent_informs_tags) {
    informed_ = &scope.Add("informed.weight", {width, sizes.tags}, kGlorotInit);
  }
}

Tagger::Scores Tagger::Score(const Context& ctx, const TagBatch& batch) const {
  const SentenceStates read = (*encoder_)(ctx, batch.sentences);
  const Var words = Dropout(ctx, read.words, config_.output_dropout);
  Scores scores;
  scores.tags = tags_(ctx, words);
  if (!intents_) return scores;
  const Var pooled = pooling_
                         ? (*pooling_)(ctx, words, batch.sentences.lengths)
                         : Dropout(ctx, read.sentence, config_.output_dropout);
  scores.intents = (*intents_)(ctx, pooled);
  if (informed_ != nullptr) {
    scores.tags = AddToSteps(scores.tags, MatMul(pooled, ctx.Use(*informed_)));
  }
  return scores;
}

Crf Tagger::CrfOf(const Context& ctx, const Var& emissions) const {
  return {emissions, ctx.Use(*crf_->between), ctx.Use(*crf_->start),
          ctx.Use(*crf_->end)};
}

TagLoss Tagger::Loss(const Context& ctx, const TagBatch& batch,
                     const TagLossOptions& options) const {
  const Shape shape = batch.sentences.shape();
  CheckShapes(batch.tags.defined() && batch.tags.shape() == shape, "tagger",
              "words and tags that do not fit", {shape, batch.tags.shape()});
  Scores scores = Score(ctx, batch);
  TagLoss loss;
  CrossEntropyOptions entropy;
  entropy.ignore_id = kNone;
  entropy.smoothing = options.smoothing;
  entropy.scale = options.scale;
  if (crf_) {
    const CrfLossResult crf = CrfLoss(
        CrfOf(ctx, scores.tags), batch.tags,
        LengthsOfKnown(batch.sentences.lengths, batch.tags), options.scale);
    loss = {crf.loss, crf.nll};
  } else {
    const CrossEntropyLoss each =
        CrossEntropy(std::move(scores.tags), batch.tags, entropy);
    loss = {each.loss, each.nll};
  }
  if (!intents_) return loss;
  entropy.scale *= config_.intent_weight;
  const CrossEntropyLoss intents =
      CrossEntropy(std::move(scores.intents), batch.intents, entropy);
  loss.loss = Add(loss.loss, intents.loss);
  loss.nll += config_.intent_weight * intents.nll;
  return loss;
}

TagPrediction Tagger::Predict(const Context& ctx, const TagBatch& batch) const {
  const Scores scores = Score(ctx, batch);
  const Shape shape = batch.sentences.shape();
  TagPrediction prediction;
  if (crf_) {
    const Crf crf = CrfOf(ctx, scores.tags);
    prediction.tags = CrfBestPaths(crf, batch.sentences.lengths);
    prediction.tag_probabilities =
        Chosen(CrfMarginals(crf, batch.sentences.lengths), prediction.tags);
  } else {
    const Best best = BestOf(scores.tags);
    prediction.tags = best.ids.Reshape(shape);
    prediction.tag_probabilities = best.probabilities.Reshape(shape);
  }
  if (!intents_) return prediction;
  const Best best = BestOf(scores.intents);
  prediction.intents = best.ids.Reshape({shape[0]});
  prediction.intent_probabilities = best.probabilities.Reshape({shape[0]});
  return prediction;
}

}  // namespace heed
