#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/tasks/target_loss.h"
#include "heed/train/progress.h"

namespace heed::autocomplete {
namespace {

/// Cross entropy of the word at each character whose word is known.
class AutocompleteObjective : public ObjectiveOf<Model> {
 public:
  AutocompleteObjective(const Settings& settings, PlainText sequences,
                        Model& model)
      : ObjectiveOf(model, settings.Measures(sequences)),
        text_(std::move(sequences)),
        train_(model.codec.Encode(text_.train)),
        valid_(model.codec.Encode(text_.valid)) {}

  std::string unit() const override { return "char"; }
  std::string Summary() const override;
  std::string Checksum() const override { return text_.Checksum(); }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return PlanBatches(train_, model_.config.data.Batches(), seed, epoch);
  }
  int64_t Units(std::span<const int64_t> examples) const override {
    int64_t known = TargetTokens(train_, examples);
    for (const int64_t i : examples) known -= UnknownOf(i);
    // Without known words the dividend is 0; the divisor must not be.
    return std::max<int64_t>(known, 1);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    const TypedBatch batch = MakeTypedBatch(train_, examples);
    CrossEntropyLoss loss = model_.network.Loss(
        ctx, batch.characters, batch.lengths, batch.words, EntropyOf(options));
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  bool has_valid() const override { return !text_.valid.empty(); }
  Metrics Validate(const std::string& /*measure*/) const override {
    const TypingScore score = model_.ScoreOf(text_.valid, valid_);
    Metrics metrics;
    if (score.all.characters > 0) {
      metrics = {{"accuracy", 100 * score.all.First()},
                 {"loss", score.all.Loss()}};
    }
    return metrics;
  }

 private:
  int64_t UnknownOf(int64_t sequence) const {
    const auto& words = At(train_.target, sequence);
    return std::count(words.begin(), words.end(), kNoWord);
  }

  PlainText text_;
  Corpus train_;
  Corpus valid_;
};

std::string AutocompleteObjective::Summary() const {
  int64_t characters = 0;
  int64_t unknown = 0;
  for (int64_t i = 0; i < train_.size(); ++i) {
    characters += std::ssize(At(train_.target, i));
    unknown += UnknownOf(i);
  }
  return fmt::format(
      "{} of {}, {} for validation; {}, to which {:.1f} % of the characters "
      "belong",
      Counted(train_.size(), "sequence"), Counted(characters, "character"),
      valid_.size(), Counted(model_.codec.word_count(), "word"),
      100.0 * static_cast<double>(characters - unknown) /
          static_cast<double>(std::max<int64_t>(characters, 1)));
}

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(PlainText sequences,
                                                   Model& model,
                                                   uint64_t) const {
  return std::make_unique<AutocompleteObjective>(*this, std::move(sequences),
                                                 model);
}

}  // namespace heed::autocomplete
