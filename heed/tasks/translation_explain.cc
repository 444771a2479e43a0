#include <fmt/format.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/batches.h"
#include "heed/decode/beam.h"
#include "heed/decode/sample.h"
#include "heed/ops/loss.h"
#include "heed/ops/shape.h"
#include "heed/tasks/translation.h"
#include "heed/tasks/translation_loss.h"
#include "heed/tasks/word_alignment.h"

namespace heed {
namespace {

/// log p of each target token of each copy: [copies, T].
Var PairScores(const Decoder& model, const Context& ctx, const Batch& batch) {
  const Var p = LogSoftmax(TranslationLogits(model, ctx, batch));
  const Var picked = Pick(p, Tensor::Of(batch.target_out, {batch.T, batch.B}));
  return Reshape(TransposeLeading(Reshape(picked, {batch.T, batch.B, 1})),
                 {batch.B, batch.T});
}

/// Of each target token, given those before it.
std::vector<float> TokenProbabilities(const Context& ctx,
                                      const TranslationModel& model,
                                      const std::string& line,
                                      const Translation& translation) {
  if (translation.target_ids.empty()) return {};
  Corpus pair;
  pair.source.push_back(
      EncodeSentence(model.vocabularies.source, line, model.data.lowercase)
          .ids);
  pair.target.push_back(translation.target_ids);
  const Tensor scores =
      PairScores(*model.model, ctx, MakeBatch(pair, Repeated(1))).value();
  std::vector<float> probabilities;
  for (int64_t t = 0; t < scores.numel(); ++t) {
    probabilities.push_back(std::exp(scores.row<float>(0)[t]));
  }
  return probabilities;
}

/// [source, target] of white-space words.
nlohmann::ordered_json WordLinks(const TranslationModel& model,
                                 const std::string& source,
                                 const std::string& target) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  if (target.empty()) return links;
  const std::vector<AlignmentLinks> pairs =
      AlignWords(model, {{source}, {target}});
  for (const AlignmentLink& link : pairs.front()) {
    links.push_back({link.source, link.target});
  }
  return links;
}

}  // namespace

/// The ids of the best translation of a source, with </s>.
std::vector<int32_t> TranslationTask::BestTarget(const Context& ctx,
                                                 const Batch& source) const {
  DecodeOptions options = decode_;
  options.keep_attention = false;
  options.keep_scores = false;
  const Tensor ids = Tensor::Of(source.source, {source.S, source.B});
  const Tensor lengths = Tensor::Of(source.source_lengths, {source.B});
  const SearchHooks hooks = {{}, {ctx.cancellation}};
  std::vector<std::vector<Hypothesis>> best;
  if (options.sample) {
    const std::vector<int64_t> numbers = {0};
    best = heed::Sample(*model_->model, {ids, lengths}, options, numbers, {},
                        hooks);
  } else {
    best = BeamSearch(*model_->model, {ids, lengths}, options, {}, hooks);
  }
  std::vector<int32_t> tokens = best.at(0).at(0).tokens;
  tokens.push_back(kEos);
  return tokens;
}

nlohmann::ordered_json TranslationParts(const Context& ctx,
                                        const TranslationModel& model,
                                        const std::string& line,
                                        const Translations& translations,
                                        bool align) {
  const Translation& best = translations.front();
  nlohmann::ordered_json parts = {{"text", best.text},
                                  {"score", best.score},
                                  {"log_probability", best.log_probability},
                                  {"source_tokens", best.source_pieces},
                                  {"target_tokens", best.target_pieces}};
  if (align) {
    parts["probabilities"] = TokenProbabilities(ctx, model, line, best);
    if (!model.model->alignment_attention().empty()) {
      parts["alignment"] = WordLinks(model, line, best.text);
    }
  }
  for (size_t i = 1; i < translations.size(); ++i) {
    parts["alternatives"].push_back(
        {{"text", translations[i].text}, {"score", translations[i].score}});
  }
  return parts;
}

ExplainablePrediction TranslationTask::PrepareExplanation(
    const Context& given, const ExplainInput& input,
    AttentionWatch& watch) const {
  const Vocabularies& v = *vocabularies_;
  Encoded source = EncodeSentence(v.source, input.text, data.lowercase);
  auto pair = std::make_shared<Corpus>();
  pair->source.push_back(source.ids);
  if (source.ids.size() <= 1) {
    throw FormatError("explain: the text has no words");
  }
  if (input.answer.empty()) {
    const std::vector<int64_t> first = {0};
    pair->target.push_back(
        BestTarget(given, MakeSourceBatch(pair->source, first)));
  } else {
    pair->target.push_back(
        EncodeSentence(v.target, input.answer, data.lowercase).ids);
  }
  const std::vector<int32_t>& target = pair->target[0];
  ExplainablePrediction e;
  e.source = std::move(source.pieces);
  e.target_inputs.push_back(v.target.Piece(kBos));
  for (const int32_t id : target) e.target.push_back(v.target.Piece(id));
  e.target_inputs.insert(e.target_inputs.end(), e.target.begin(),
                         e.target.end() - 1);
  e.answer = v.target.Decode(target);

  Context ctx = given;
  ctx.observer = &watch;
  TranslationLogits(*model_->model, ctx, MakeBatch(*pair, Repeated(1)));
  e.alignment = model_->model->alignment_attention();
  e.alignment_head = model_->model->alignment_head();
  e.alignment_rows = EachRow(std::ssize(target));
  e.scores.tokens = std::ssize(e.source);
  e.scores.targets = std::ssize(target);
  e.scores.tokens_of_copy = std::ssize(e.source) + std::ssize(target);
  e.scores.scores = [this, pair](const Context& c, int64_t copies) {
    return PairScores(*model_->model, c, MakeBatch(*pair, Repeated(copies)));
  };
  return e;
}

}  // namespace heed
