#include "heed/models/tagger.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/rowwise.h"
#include "heed/kernels/topk.h"
#include "heed/models/outline_parts.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/loss.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

constexpr int32_t kNone = -1;

/// x [B, T, C] + row [B, C] at each t.
Var AddToSteps(const Var& x, const Var& row) {
  const Var steps = AddPairs(Reshape(row, {row.dim(0), 1, row.dim(1)}), x);
  return Reshape(steps, x.shape());
}

/// Lengths, set to 0 for rows with an unknown tag.
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

/// Most probable class of each row of scores [..., C], reshaped to `shape`
/// [...].
Best BestOf(const Var& scores, const Shape& shape) {
  Best best;
  const Tensor logs = kernels::LogSoftmax(scores.value().Contiguous());
  kernels::TopK(logs, 1, best.probabilities, best.ids, nullptr);
  best.ids = best.ids.Reshape(shape);
  best.probabilities = kernels::Exp(best.probabilities).Reshape(shape);
  return best;
}

/// `ids`, with unknown ones replaced by `others`.
Tensor KnownOr(const Tensor& ids, const Tensor& others) {
  Tensor known = ids.Clone();
  for (int64_t b = 0; b < known.numel(); ++b) {
    int32_t& id = known.data<int32_t>()[b];
    if (id == kNone) id = others.data<int32_t>()[b];
  }
  return known;
}

/// Probabilities p[b, t, tags[b, t]].
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
  v("tag_decoder", tag_decoder,
    "predict the tags of a sentence together by a conditional random field "
    "(crf), or each separately (softmax)");
  v("output_dropout", output_dropout, UpToBelow(0, 1),
    "probability to drop features of the encoder's output");
  v("intent_weight", intent_weight, Above(0),
    "weight of the loss of an intent; that of a tag is 1");
  v("intent_informs_tags", intent_informs_tags,
    "use the features that predict the intent as inputs of the tags");
  v("joint_intents", joint_intents,
    "crf: one random field of intent and tags, with a score for each pair")
      .If(tag_decoder == TagDecoder::kCrf, "--tag-decoder crf");
}

Tagger::Tagger(const Scope& scope, const TaggerConfig& config,
               const TaggerSizes& sizes,
               std::unique_ptr<SentenceEncoder> encoder)
    : config_(config),
      encoder_(std::move(encoder)),
      tags_(scope / "tags", encoder_->output_size(), sizes.tags, kGlorotInit) {
  const int64_t width = encoder_->output_size();
  if (config_.tag_decoder == TagDecoder::kCrf) {
    const Scope crf = scope / "crf";
    crf_ = {&crf.Add("between", {sizes.tags, sizes.tags}, kZeroInit),
            &crf.Add("start", {sizes.tags}, kZeroInit),
            &crf.Add("end", {sizes.tags}, kZeroInit)};
  }
  if (sizes.intents == 0) return;
  if (!encoder_->pools()) {
    PoolingOptions pooling;
    pooling.kind = PoolingKind::kAttention;
    pooling.features = width;
    pooling.init = kGlorotInit;
    pooling_.emplace(scope / "pooling", pooling);
  }
  intents_.emplace(scope / "intents", width, sizes.intents, kGlorotInit);
  if (config_.intent_informs_tags) {
    informed_ = &scope.Add("informed.weight", {width, sizes.tags}, kGlorotInit);
  }
  if (crf_ && config_.joint_intents) {
    joint_ = &scope.Add("joint.weight", {sizes.intents, sizes.tags}, kZeroInit);
  }
}

/// Emissions [B, T, C] given an intent of each sentence, i32 [B].
Var Tagger::Given(const Context& ctx, const Var& emissions,
                  const Tensor& intents) const {
  return AddToSteps(emissions, Embed(ctx.Use(*joint_), intents));
}

/// log Σ_y exp(score of y) given each intent: [B, I].
Var Tagger::LogPartitions(const Context& ctx, const Var& emissions,
                          const Tensor& lengths) const {
  const int64_t b_size = emissions.dim(0);
  const int64_t i_size = joint_->value().dim(0);
  Tensor intents({b_size, i_size}, DType::kI32);
  Tensor repeated({b_size * i_size}, DType::kI32);
  for (int64_t b = 0; b < b_size; ++b) {
    int32_t* row = intents.row<int32_t>(b);
    std::iota(row, row + i_size, 0);
    std::fill_n(repeated.data<int32_t>() + b * i_size, i_size,
                lengths.data<int32_t>()[b]);
  }
  const Var given =
      Reshape(AddPairs(Embed(ctx.Use(*joint_), intents), emissions),
              {b_size * i_size, emissions.dim(1), emissions.dim(2)});
  return Reshape(CrfLogPartition(CrfOf(ctx, given), repeated),
                 {b_size, i_size});
}

TagScores Tagger::Score(const Context& ctx, const TagBatch& batch) const {
  const SentenceStates read = (*encoder_)(ctx, batch.sentences);
  const Var words = Dropout(ctx, read.words, config_.output_dropout);
  TagScores scores;
  scores.tags = tags_(ctx, words);
  if (!intents_) return scores;
  const Var pooled = pooling_
                         ? (*pooling_)(ctx, words, batch.sentences.lengths)
                         : Dropout(ctx, read.sentence, config_.output_dropout);
  scores.intents = (*intents_)(ctx, pooled);
  if (informed_ != nullptr) {
    scores.tags = AddToSteps(scores.tags, MatMul(pooled, ctx.Use(*informed_)));
  }
  if (joint_ != nullptr) {
    scores.intents =
        Add(scores.intents,
            LogPartitions(ctx, scores.tags, batch.sentences.lengths));
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
  CheckShapes(!intents_ || (batch.intents.defined() &&
                            batch.intents.shape() == Shape{shape[0]}),
              "tagger", "sentences and intents that do not fit",
              {shape, batch.intents.shape()});
  TagScores scores = Score(ctx, batch);
  TagLoss loss;
  CrossEntropyOptions entropy;
  entropy.ignore_id = kNone;
  entropy.smoothing = options.smoothing;
  entropy.scale = options.scale;
  if (joint_ != nullptr) {
    const Best best_intents = BestOf(scores.intents, {shape[0]});
    scores.tags =
        Given(ctx, scores.tags, KnownOr(batch.intents, best_intents.ids));
  }
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

TagScores Tagger::Scores(const Context& ctx, const TagBatch& batch) const {
  TagScores scores = Score(ctx, batch);
  if (joint_ == nullptr) return scores;
  const Best best_intents = BestOf(scores.intents, {scores.intents.dim(0)});
  scores.tags = Given(ctx, scores.tags, best_intents.ids);
  return scores;
}

TagScores Tagger::Probabilities(const Context& ctx,
                                const TagBatch& batch) const {
  TagScores p = Scores(ctx, batch);
  const auto softmax = [](const Var& scores) {
    return kernels::Exp(kernels::LogSoftmax(scores.value().Contiguous()));
  };
  p.tags = crf_ ? CrfMarginals(CrfOf(ctx, p.tags), batch.sentences.lengths)
                : softmax(p.tags);
  if (intents_) p.intents = softmax(p.intents);
  return p;
}

TagPrediction Tagger::Predict(const Context& ctx, const TagBatch& batch) const {
  TagScores scores = Score(ctx, batch);
  const Shape shape = batch.sentences.shape();
  TagPrediction prediction;
  Best intents;
  if (intents_) intents = BestOf(scores.intents, {shape[0]});
  if (joint_ != nullptr) scores.tags = Given(ctx, scores.tags, intents.ids);
  if (crf_) {
    const Crf crf = CrfOf(ctx, scores.tags);
    prediction.tags = CrfBestPaths(crf, batch.sentences.lengths);
    prediction.tag_probabilities =
        Chosen(CrfMarginals(crf, batch.sentences.lengths), prediction.tags);
  } else {
    const Best best = BestOf(scores.tags, shape);
    prediction.tags = best.ids;
    prediction.tag_probabilities = best.probabilities;
  }
  if (!intents_) return prediction;
  prediction.intents = intents.ids;
  prediction.intent_probabilities = intents.probabilities;
  return prediction;
}

ModelOutline Tagger::Outline() const {
  const int64_t count = tags_.weight().value().dim(1);
  std::vector<OutlineBlock> blocks = WithBlock(
      encoder_->Outline(), {{{.name = "linear", .features = count}}, 1});
  // A random field connects neighbouring tags in both directions.
  blocks.push_back(
      {{{crf_ ? OutlinePart::Kind::kBoth : OutlinePart::Kind::kEach,
         crf_ ? "random field" : "softmax",
         count,
         {}}},
       1});
  return {{}, {{"tagger", "source", false, false, std::move(blocks)}}};
}

}  // namespace heed
