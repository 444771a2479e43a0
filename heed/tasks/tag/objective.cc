#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/data/input_lines.h"
#include "heed/tasks/tag/long_sentences.h"
#include "heed/tasks/tag/mentions.h"
#include "heed/tasks/tag/scheme.h"
#include "heed/tasks/tag/tag.h"
#include "heed/tasks/text_vocabulary.h"
#include "heed/text/rare_words.h"
#include "heed/train/progress.h"

namespace heed::tag {
namespace {

std::string ComputeSentencesChecksum(
    std::span<const TaggedSentence> sentences) {
  std::vector<std::string> lines;
  for (const TaggedSentence& s : sentences) {
    lines.push_back(fmt::format("{}\t{}\t{}", fmt::join(s.words, " "),
                                fmt::join(s.tags, " "), s.label));
  }
  return ComputeChecksum(lines);
}

/// Log-likelihood of the tags and the intents of sentences.
class TagObjective : public ObjectiveOf<Model> {
 public:
  TagObjective(const Data& data, Model& model,
               std::vector<MeasureInfo> measures)
      : ObjectiveOf(model, std::move(measures)),
        train_text_(Divide(data.train, model.config.words_at_once()).parts),
        valid_text_(Divide(data.valid, model.config.words_at_once()).parts) {
    const DataConfig& config = model.config.data;
    if (config.replace_mentions > 0) {
      const std::optional<TagNotation>& notation = model.notation;
      if (!notation || notation->form == TagForm::kBrackets) {
        throw ConfigError(
            "replace_mentions: the tags of the training text are in no span "
            "scheme whose entities can be replaced (O, B-TYPE, I-TYPE)");
      }
      mentions_.emplace(train_text_, *notation);
    }
    train_ = model.Encode(train_text_);
    valid_ = model.Encode(valid_text_);
    CheckLabels();
    WarnOfSchemes();
    // A BERT does not read word features, so dropout of rare words has no
    // effect on it.
    if (config.rare_word_dropout > 0 && !reads_pieces()) {
      rare_words_.emplace(train_.plan.source, config.rare_word_dropout);
    }
  }

  std::string unit() const override { return "word"; }
  std::string Summary() const override;
  std::string Checksum() const override {
    return ComputeSentencesChecksum(train_text_) +
           ComputeSentencesChecksum(valid_text_);
  }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return PlanBatches(train_.plan, model_.config.data.batches(), seed, epoch);
  }
  int64_t Units(std::span<const int64_t> examples) const override {
    int64_t words = 0;
    for (const int64_t i : examples) {
      words += At(train_.words, i);
    }
    return words;
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override {
    TagLoss loss = model_.network.Loss(ctx, BatchOf(ctx, examples),
                                       {options.scale, options.smoothing});
    return {std::move(loss.loss), loss.nll * options.scale};
  }
  bool has_valid() const override { return !valid_text_.empty(); }
  Metrics Validate(const std::string& /*measure*/) const override {
    const TaggingLoss loss = model_.LossOf(valid_);
    Metrics metrics;
    if (loss.words > 0) metrics.emplace_back("loss", loss.per_word);
    AppendFigures(model_.Score(valid_text_, model_.Tag(Context(), valid_)),
                  metrics);
    return metrics;
  }

 private:
  bool reads_pieces() const {
    return ReadsPieces(model_.config.encoder.name());
  }
  void CheckLabels() const;
  void WarnOfSchemes();
  TagBatch BatchOf(const Context& ctx, std::span<const int64_t> examples) const;
  TagBatch ReplacedBatch(Rng& rng, std::span<const int64_t> examples) const;

  std::vector<TaggedSentence> train_text_;
  std::vector<TaggedSentence> valid_text_;
  EncodedSentences train_;
  EncodedSentences valid_;
  std::string scheme_;                         // of the training text
  std::optional<Mentions> mentions_;           // if replace_mentions > 0
  std::optional<RareWordDropout> rare_words_;  // if rare_word_dropout > 0
};

std::string TagObjective::Summary() const {
  std::vector<std::string> sizes;
  for (const auto& [what, size] : model_.Sizes()) {
    const bool pieces = reads_pieces() && what == "vocabulary";
    const int requested = model_.config.input.vocabulary.vocabulary_size;
    sizes.push_back(
        fmt::format("{} {}{}", size, what,
                    pieces ? VocabularySizeNote(size, requested) : ""));
  }
  return fmt::format("{}, {} for validation; {}; {}",
                     Counted(std::ssize(train_text_), "sentence"),
                     valid_text_.size(), fmt::join(sizes, ", "), scheme_);
}

void TagObjective::WarnOfSchemes() {
  const SpanScheme train = SchemeOfSentences(train_text_);
  const SpanScheme valid = SchemeOfSentences(valid_text_);
  scheme_ = train.notation
                ? fmt::format("tags in {}, entities measured by F1", train.name)
                : "tags in no span scheme, measured by accuracy";
  WarnOfScheme(train, train_text_, "the training text", false);
  if (valid_text_.empty()) return;
  WarnOfScheme(valid, valid_text_, "the validation text", HasEntities(train));
  WarnOfUnknown(model_, valid_text_, "the validation text");
  if (HasEntities(valid) && !HasEntities(train)) {
    Warn(
        "the training text is in no span scheme, but the validation text is: "
        "F1 cannot be computed; accuracy is reported instead");
  }
  WarnOfOtherScheme("the training text is tagged", train, "the validation text",
                    valid);
}

/// Checks that the model knows all labels of the training text, since it may be
/// pretrained on another text.
void TagObjective::CheckLabels() const {
  const auto check = [](int32_t id, const std::string& label) {
    if (id >= 0) return;
    throw FormatError(
        "the training text has the label '{}', which the model does not know",
        label);
  };
  for (size_t i = 0; i < train_text_.size(); ++i) {
    const TaggedSentence& sentence = train_text_[i];
    for (size_t t = 0; t < sentence.tags.size(); ++t) {
      check(train_.plan.target[i][t], sentence.tags[t]);
    }
    if (model_.intents) check(train_.intents[i], sentence.label);
  }
}

/// Makes a training batch; with a random generator, some words are replaced or
/// dropped.
TagBatch TagObjective::BatchOf(const Context& ctx,
                               std::span<const int64_t> examples) const {
  if (ctx.rng == nullptr) return model_.MakeBatch(train_, examples);
  TagBatch batch = mentions_ ? ReplacedBatch(*ctx.rng, examples)
                             : model_.MakeBatch(train_, examples);
  if (rare_words_) rare_words_->Apply(batch.sentences.words.words, *ctx.rng);
  return batch;
}

TagBatch TagObjective::ReplacedBatch(Rng& rng,
                                     std::span<const int64_t> examples) const {
  std::vector<TaggedSentence> sentences;
  std::vector<int64_t> places;
  for (const int64_t i : examples) {
    places.push_back(std::ssize(places));
    sentences.push_back(mentions_->Replace(
        At(train_text_, i), model_.config.data.replace_mentions, rng));
  }
  return model_.MakeBatch(model_.Encode(sentences), places);
}

}  // namespace

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& model,
                                                   uint64_t) const {
  return std::make_unique<TagObjective>(read, model, Measures(read));
}

std::vector<MeasureInfo> Settings::Measures(const Data& read) const {
  std::vector<MeasureInfo> measures;
  // With intents, tag metrics alone would select a model too early.
  if (with_intents()) measures.push_back({"joint_accuracy", true});
  const bool entities =
      HasEntities(SchemeOfSentences(read.train)) &&
      (read.valid.empty() || HasEntities(SchemeOfSentences(read.valid)));
  if (entities) measures.push_back({"f1", true});
  measures.push_back({"accuracy", true});
  measures.push_back({"sentence_accuracy", true});
  if (with_intents()) measures.push_back({"intent_accuracy", true});
  measures.push_back({"loss", false});
  return measures;
}

}  // namespace heed::tag
