#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "heed/base/errors.h"
#include "heed/tasks/lm/language.h"
#include "heed/tasks/target_loss.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/tasks/training_pairs.h"
#include "heed/train/progress.h"

namespace heed::lm {
namespace {

/// Cross entropy of each token of a text.
class LanguageObjective : public ObjectiveOf<Model> {
 public:
  LanguageObjective(const Settings& settings, PlainText text, Model& model)
      : ObjectiveOf(model, settings.Measures(text)),
        text_(std::move(text)),
        train_(EncodeTraining()) {
    if (train_.size() == 0) {
      throw ConfigError("the training text has no token");
    }
    lines_ = text_.store ? text_.store->rows() : std::ssize(text_.train);
    if (text_.store) text_.train = {};  // only a sample
  }

  std::string Summary() const override {
    return fmt::format("{} of up to {} tokens from {}, {} for validation; {}",
                       Counted(train_.size(), "text"), data().length,
                       Counted(lines_, "line"),
                       Counted(std::ssize(text_.valid), "line"),
                       data().vocabulary.Note(model_.vocabulary));
  }
  std::string Checksum() const override { return text_.Checksum(); }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return train_.Plan(data().large, {data().batch_tokens, data().batch_texts},
                       seed, epoch);
  }
  int64_t Units(std::span<const int64_t> examples) const override {
    return train_.TargetTokens(examples);
  }
  int64_t Parts(std::span<const int64_t> examples) const override {
    return PartsOf(*model_.network, std::ssize(examples), Units(examples));
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    CrossEntropyLoss loss = TargetLoss(
        *model_.network, ctx, train_.BatchOf(examples), EntropyOf(options));
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
  const DataConfig& data() const { return model_.config.data; }

  /// Encodes the training text file by file; a stream ends with its file.
  TrainingPairs EncodeTraining() const;

  PlainText text_;
  TrainingPairs train_;
  int64_t lines_ = 0;
};

TrainingPairs LanguageObjective::EncodeTraining() const {
  const Vocabulary& vocabulary = model_.vocabulary;
  const auto encode = [&](std::span<const std::string> lines) {
    return EncodePartInBlocks(lines, vocabulary, data().Blocks());
  };
  if (text_.store) {
    const nlohmann::ordered_json made_of = {
        {"vocabulary",
         ComputeChecksum(std::vector<std::string>{vocabulary.Serialize()})},
        {"length", data().length},
        {"unit", data().unit.word()},
        {"lowercase", data().vocabulary.lowercase}};
    return {
        text_.store->Tokens(
            made_of,
            {.source_vocabulary = 0, .target_vocabulary = vocabulary.size()},
            [&](const TextColumns& rows) { return encode(rows[0]); }),
        text_.store->corpora(), vocabulary.special().bos};
  }
  if (data().large.mix.empty()) {
    Corpus all = encode(text_.train);
    const int64_t size = all.size();
    return {std::move(all), {size}};
  }
  Corpus all;
  std::vector<int64_t> ends;
  std::span<const std::string> left(text_.train);
  for (const int64_t lines : text_.lines_of_files) {
    Corpus of_file = encode(left.first(static_cast<size_t>(lines)));
    left = left.subspan(static_cast<size_t>(lines));
    std::ranges::move(of_file.target, std::back_inserter(all.target));
    all.dropped_empty += of_file.dropped_empty;
    all.source.resize(all.target.size());
    ends.push_back(all.size());
  }
  return {std::move(all), std::move(ends)};
}

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(PlainText text,
                                                   Model& language,
                                                   uint64_t) const {
  return std::make_unique<LanguageObjective>(*this, std::move(text), language);
}
}  // namespace heed::lm
