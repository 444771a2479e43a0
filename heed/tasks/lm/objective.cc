#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/tasks/lm/language.h"
#include "heed/tasks/target_loss.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

/// Cross entropy of each token of a text.
class LanguageObjective : public ObjectiveOf<LanguageTaskModel> {
 public:
  LanguageObjective(const LanguageSettings& settings, PlainText text,
                    LanguageTaskModel& model)
      : ObjectiveOf(model, settings.MeasuresOf(text)),
        text_(std::move(text)),
        train_(
            EncodeTextBlocks(text_.train, model.vocabulary, data().Blocks())) {}

  std::string Summary() const override {
    return fmt::format("{} of up to {} tokens from {}, {} for validation; {}",
                       Counted(train_.size(), "text"), data().length,
                       Counted(std::ssize(text_.train), "line"),
                       Counted(std::ssize(text_.valid), "line"),
                       data().vocabulary.Note(model_.vocabulary));
  }
  std::string CheckSum() const override { return text_.CheckSum(); }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return PlanBatches(train_, {data().batch_tokens, data().batch_texts}, seed,
                       epoch);
  }
  int64_t Units(std::span<const int64_t> examples) const override {
    return TargetTokens(train_, examples);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    CrossEntropyLoss loss = TargetLoss(
        *model_.network, ctx, MakeBatch(train_, examples), EntropyOf(options));
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  bool has_valid() const override { return !text_.valid.empty(); }
  Metrics Validate(const std::string& /*measure*/) const override {
    const LanguageScore score = model_.Score({}, text_.valid);
    return {{"loss", score.loss()},
            {"perplexity", score.perplexity()},
            {"bits_per_character", score.bits_per_character()}};
  }

 private:
  const LanguageDataConfig& data() const { return model_.config.data; }

  PlainText text_;
  Corpus train_;
};

}  // namespace

std::unique_ptr<Trainable> LanguageSettings::Objective(
    PlainText text, LanguageTaskModel& language, uint64_t) const {
  return std::make_unique<LanguageObjective>(*this, std::move(text), language);
}

LanguageScore LanguageTaskModel::Score(
    const Context& ctx, const std::vector<std::string>& lines) const {
  const LanguageDataConfig& data = config.data;
  const Corpus corpus = EncodeTextBlocks(lines, vocabulary, data.Blocks());
  const LossSum sum =
      CorpusLoss(ctx, *network, corpus, {data.batch_tokens, data.batch_texts});
  LanguageScore score;
  score.nll = sum.nll;
  score.tokens = sum.tokens;
  for (const std::vector<int32_t>& ids : corpus.target) {
    score.unknown += std::count(ids.begin(), ids.end(), kUnk);
  }
  score.text = MeasureText(lines);
  return score;
}

}  // namespace heed
