// Tagging: a tag for each word of a sentence, and optionally an intent for the
// sentence.
#ifndef HEED_TASKS_TAG_TAG_H_
#define HEED_TASKS_TAG_TAG_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/batches.h"
#include "heed/data/conll.h"
#include "heed/data/labelled.h"
#include "heed/metrics/spans.h"
#include "heed/models/registry.h"
#include "heed/models/tagger.h"
#include "heed/tasks/tag/tag_input.h"
#include "heed/tasks/task.h"

namespace heed::tag {

/// Files of tagged sentences, data augmentation and batches.
struct DataConfig {
  std::vector<std::string> texts;
  std::vector<std::string> valid_texts;
  TagColumns columns;
  int batch_words = 4096;
  int batch_sentences = 32;
  double replace_mentions = 0;   // probability
  double rare_word_dropout = 0;  // α

  BatchOptions batches() const { return {batch_words, batch_sentences}; }
};

/// The settings of a tagger.
struct Config {
  TagInputConfig input;
  ModelChoice<EncoderSettings> encoder;
  TaggerConfig tagger;
  DataConfig data;

  /// Maximum number of words that are read together. A BERT instead divides
  /// sentences by their pieces.
  int64_t words_at_once() const;
};

struct Data {
  std::vector<TaggedSentence> train;
  std::vector<TaggedSentence> valid;
};

/// Encoded sentences. `plan.source` has the inputs and `plan.target` the tags
/// (−1: unknown), for PlanBatches.
struct EncodedSentences {
  std::function<SentenceBatch(std::span<const int64_t>)> batch;
  Corpus plan;
  std::vector<int32_t> intents;  // none without intents
  std::vector<int64_t> words;    // number of words of each sentence
};

/// Loss per word, over words with known tags.
struct TaggingLoss {
  double per_word = 0;  ///< kNoFigure if there are none
  int64_t words = 0;
};

/// Predictions of a model for a sentence.
struct SentenceTags {
  std::vector<std::string> tags;
  std::vector<double> probabilities;
  std::string intent;
  double intent_probability = 0;
};

/// A tagger: an encoder of word features, or of word pieces for a BERT, and a
/// softmax or a conditional random field (CRF) for tags.
class Model : public TaskModel {
 public:
  /// `settings` must be resolved. Without `intent_set` the model predicts only
  /// tags.
  Model(Config settings, std::unique_ptr<const TagInput> read, LabelSet tag_set,
        std::optional<LabelSet> intent_set, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network.Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override;

  EncodedSentences Encode(std::span<const TaggedSentence> sentences) const;
  TagBatch MakeBatch(const EncodedSentences& sentences,
                     std::span<const int64_t> indices) const;
  /// Predicts tags; the result is in the order of the sentences.
  std::vector<SentenceTags> Tag(const Context& ctx,
                                const EncodedSentences& sentences) const;
  /// Predicts tags of sentences of any length. Long sentences are divided, with
  /// a warning that counts sentences from `first`.
  std::vector<SentenceTags> Tag(const Context& ctx,
                                std::span<const TaggedSentence> sentences,
                                int64_t first) const;
  /// Σ −log p of tags and intents, per word. Words with unknown tags are left
  /// out; with a CRF, so are their sentences.
  TaggingLoss LossOf(const EncodedSentences& sentences) const;
  /// Percentages of right words and sentences. Entities are scored as in
  /// conlleval if the gold tags contain entities and the model's tags follow a
  /// span scheme. Figures over no example are kNoFigure.
  Metrics Score(std::span<const TaggedSentence> gold,
                std::span<const SentenceTags> answers) const;
  /// Number of gold words whose tags are unknown to the model.
  int64_t CountUnknown(std::span<const TaggedSentence> gold) const;

  const Config config;
  const std::unique_ptr<const TagInput> words;
  const LabelSet tags;
  const std::optional<LabelSet> intents;
  /// Span notation of the tags, if any.
  const std::optional<TagNotation> notation;

 private:
  ParameterSet parameters_;

 public:
  const Tagger network;
};

/// Tags of each sentence.
template <typename Sentences>
std::vector<std::vector<std::string>> TagsOf(const Sentences& sentences) {
  std::vector<std::vector<std::string>> tags;
  for (const auto& sentence : sentences) tags.push_back(sentence.tags);
  return tags;
}

/// Warns of gold tags and intents that are unknown to the model, with counts.
/// `name`: "the validation text".
void WarnOfUnknown(const Model& model, std::span<const TaggedSentence> gold,
                   const std::string& name);

/// Format of standard input: a sentence per line, or a word per line in
/// columns.
enum class SentenceInput : uint8_t { kLines, kColumns };
constexpr auto WordsOf(SentenceInput) { return std::array{"lines", "columns"}; }

struct Prediction {
  Named<SentenceInput> input = SentenceInput::kLines;
  bool probabilities = false;
  bool keep_tags = false;
  TagColumns columns;          // default: the columns of training
  bool choose_columns = true;  // true if `columns` has options

  void Visit(FieldList& v);
};

struct Evaluation {
  std::vector<std::string> texts;
  std::string texts_help;
  TagColumns columns;          // default: the columns of training
  bool choose_columns = true;  // true if `columns` has options

  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  std::string task() const override { return "tag"; }
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void VisitTraining(FieldList& v, TrainingConfig& training) const override {
    training.Visit(v);
    v.If("label_smoothing",
         with_intents() || tagger.tag_decoder != TagDecoder::kCrf,
         "--tag-decoder softmax");
  }
  void Resolve() override;
  bool in_files() const override { return !data.texts.empty(); }
  bool CanStartFrom(const TaskRow& task) const override {
    return task.gives_encoder;
  }
  void TakePretrained() override;

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& read) const override;
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& model,
                                           uint64_t seed) const override;
  Prediction prediction() const override;
  Evaluation evaluation() const override;
  InputReading Reading(const Prediction& options) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& model,
                                           Prediction options) const override;
  Report Evaluate(const Model& model, const Evaluation& options) const override;

 protected:
  /// True if sentences also have intents.
  virtual bool with_intents() const { return false; }
  /// True if the files have selectable columns.
  virtual bool choose_columns() const { return true; }
  /// Help of an option that names files: "files ... for training".
  virtual std::string TextsHelp(const std::string& purpose) const;
  virtual std::vector<TaggedSentence> ReadText(const std::string& path,
                                               const TagColumns& columns) const;

 private:
  std::vector<TaggedSentence> ReadTexts(const std::vector<std::string>& paths,
                                        const TagColumns& columns) const;
};

TaskRow Task();

}  // namespace heed::tag

#endif  // HEED_TASKS_TAG_TAG_H_
