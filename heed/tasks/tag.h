// Tagging: a tag for each word of a sentence.
#ifndef HEED_TASKS_TAG_H_
#define HEED_TASKS_TAG_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/conll.h"
#include "heed/data/corpus.h"
#include "heed/data/labelled.h"
#include "heed/metrics/entities.h"
#include "heed/models/registry.h"
#include "heed/models/tagger.h"
#include "heed/tasks/mentions.h"
#include "heed/tasks/tag_input.h"
#include "heed/tasks/task.h"
#include "heed/text/rare_words.h"

namespace heed {

/// Where tagged sentences come from and how they become batches.
struct TagDataConfig {
  std::vector<std::string> texts;
  std::vector<std::string> valid_texts;
  TagColumns columns;
  int batch_words = 4096;
  int batch_sentences = 32;
  double replace_mentions = 0;   // probability
  double rare_word_dropout = 0;  // α
};

/// Words as features or, for a BERT, as pieces, an encoder that reads them,
/// tags one by one or by a random field. Where tags spell entities, their F1 is
/// measured as conlleval does.
class TagTask : public Task {
 public:
  TagInputConfig input;
  ModelChoice<EncoderSettings> encoder;
  TaggerConfig tagger;
  TagDataConfig data;

  std::string name() const override { return "tag"; }
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  /// Also from an encoder of `--task pretrain`.
  bool CanStartFrom(const std::string& task) const override;

  void ReadExamples() override;
  /// Sentences that are in memory, instead of ReadExamples.
  void SetText(std::vector<TaggedSentence> train,
               std::vector<TaggedSentence> valid);
  bool in_files() const override { return !data.texts.empty(); }
  void LearnVocabularies() override;
  ModelFiles Files() const override;
  void SetFiles(const ModelFiles& files, const std::string& folder) override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override;
  void MakeModel(uint64_t seed) override;
  void StartWeights() override;
  void EncodeExamples() override;

  ParameterSet& parameters() override { return *parameters_; }
  std::string unit() const override { return "word"; }
  std::string Summary() const override;
  std::string CheckSum() const override;
  std::vector<std::vector<int64_t>> PlanEpoch(uint64_t seed,
                                              int epoch) const override;
  int64_t Units(std::span<const int64_t> examples) const override;
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::vector<MeasureInfo> Measures() const override;
  bool has_valid() const override { return !valid_text_.empty(); }
  Metrics Validate(const std::string& measure) const override;

  void VisitPredict(FieldList& v) override;
  /// A sentence a line, or columns; writes the tags of its words, or the
  /// columns with the tags in them.
  Predictor MakePredictor(const Context& ctx, bool with_parts,
                          const InputOptions& options) const override;
  InputReading reading() const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const override;
  void VisitEvaluate(FieldList& v) override;
  Report Evaluate() const override;

 protected:
  /// Sentences as numbers. `plan.source` is what is read, `plan.target` the
  /// tags (−1: unknown), so that PlanBatches takes it.
  struct Encoded {
    std::function<SentenceBatch(std::span<const int64_t>)> batch;
    Corpus plan;
    std::vector<int32_t> intents;
    std::vector<int64_t> words;  // how many
  };
  /// What the model says of each sentence.
  struct Tagged {
    std::vector<std::string> tags;
    std::vector<double> probabilities;
    std::string intent;
  };

  /// What tells tagging from tagging with intents.
  virtual bool with_intents() const { return false; }
  virtual void VisitTexts(FieldList& v, const std::string& key,
                          std::vector<std::string>& texts,
                          const std::string& purpose) const;
  virtual void VisitFormat(FieldList& v, TagColumns& columns) const {
    columns.Visit(v);
  }
  virtual std::vector<TaggedSentence> ReadText(const std::string& path,
                                               const TagColumns& columns) const;
  virtual std::string LineOf(const Tagged& answer) const;

  /// As AnswerAll, of sentences of any length.
  std::vector<Tagged> TagAll(const Context& ctx,
                             std::span<const TaggedSentence> sentences,
                             int64_t first = 0) const;
  /// Keeps the sentences' order.
  std::vector<Tagged> AnswerAll(const Context& ctx,
                                const Encoded& sentences) const;
  std::string JoinTags(const Tagged& answer) const;

 private:
  void StartFromPretrained();
  void CheckLabels() const;
  std::vector<TaggedSentence> ReadTexts(const std::vector<std::string>& paths,
                                        const TagColumns& columns) const;
  int64_t WordsAtOnce() const;
  TagColumns& UsedColumns();
  Encoded Encode(std::span<const TaggedSentence> sentences) const;
  /// A batch to learn from.
  TagBatch TrainingBatch(const Context& ctx,
                         std::span<const int64_t> examples) const;
  /// With some mentions replaced.
  TagBatch ReplacedBatch(Rng& rng, std::span<const int64_t> examples) const;
  TagBatch MakeBatch(const Encoded& sentences,
                     std::span<const int64_t> indices) const;
  /// Loss, and F1 or accuracy.
  Metrics Score(std::span<const TaggedSentence> gold,
                const std::vector<Tagged>& answers) const;
  double LossOf(const Encoded& sentences) const;
  ModelAnswer PredictColumns(const Context& ctx, const std::string& input,
                             bool with_parts) const;
  ModelAnswer Say(const Words& words, const Tagged& tagged) const;

  std::unique_ptr<TagInput> words_;
  std::optional<LabelSet> tags_;
  std::optional<LabelSet> intents_;
  std::unique_ptr<ParameterSet> parameters_;
  std::unique_ptr<Tagger> model_;

  std::vector<TaggedSentence> train_text_;
  std::vector<TaggedSentence> valid_text_;
  bool entities_ = true;  // the tags of the training text spell them
  Encoded train_;
  Encoded valid_;
  std::optional<Mentions> mentions_;           // if some shall be replaced
  std::optional<RareWordDropout> rare_words_;  // if some shall be dropped

  // Of prediction and evaluation
  std::string input_ = "lines";
  bool probabilities_ = false;
  bool keep_tags_ = false;
  std::optional<TagColumns> columns_;  // of what is evaluated or predicted
  std::vector<std::string> compared_;
};

}  // namespace heed

#endif  // HEED_TASKS_TAG_H_
