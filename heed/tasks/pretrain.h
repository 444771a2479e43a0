// Pre-training of BERT on plain text: masked words and pairs of sentences.
#ifndef HEED_TASKS_PRETRAIN_H_
#define HEED_TASKS_PRETRAIN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/batches.h"
#include "heed/data/pretraining.h"
#include "heed/models/bert.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {

/// Where documents come from and how they become batches.
struct PretrainDataConfig {
  std::vector<std::string> texts;
  std::vector<std::string> valid_texts;
  std::vector<std::string> columns = {"text"};
  PretrainingOptions instances;  // its seed is the run's
  TextVocabularyConfig vocabulary = {.vocabulary = "wordpiece"};
  int batch_tokens = 8192;
  int batch_texts = 0;

  void Visit(FieldList& v);
};

class PretrainTask : public Task {
 public:
  ModelChoice<PretrainingSettings> model;
  PretrainDataConfig data;

  std::string name() const override { return "pretrain"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  void ReadExamples() override;
  /// Text that is in memory, instead of ReadExamples.
  void SetText(std::vector<std::string> train, std::vector<std::string> valid);
  bool in_files() const override { return !data.texts.empty(); }
  void LearnVocabularies() override;
  ModelFiles Files() const override;
  void SetFiles(const ModelFiles& files, const std::string& folder) override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary_->size()}};
  }
  void MakeModel(uint64_t seed) override;
  void EncodeExamples() override;

  ParameterSet& parameters() override { return model_->parameters(); }
  std::string unit() const override { return "text"; }
  std::string Summary() const override;
  std::string CheckSum() const override;
  std::vector<std::vector<int64_t>> PlanEpoch(uint64_t seed,
                                              int epoch) const override;
  int64_t Units(std::span<const int64_t> examples) const override {
    return std::ssize(examples);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::vector<MeasureInfo> Measures() const override;
  bool has_valid() const override { return !valid_text_.empty(); }
  Metrics Validate(const std::string& measure) const override;

  void VisitPredict(FieldList& v) override;
  /// Mode words: of each [MASK] in a line, the likeliest words. Mode next: a
  /// line is text, tab, text; how probable it is that the second follows.
  Predictor MakePredictor(const Context& ctx, bool with_parts,
                          const InputOptions& options) const override;
  InputReading reading() const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const override;
  void VisitEvaluate(FieldList& v) override;
  Report Evaluate() const override;

  const Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  /// How well the model does on some instances.
  struct Score {
    double words_nll = 0;
    double next_nll = 0;
    int64_t words = 0, words_correct = 0;
    int64_t texts = 0, next_correct = 0, random = 0;

    double word_loss() const;
    double next_loss() const;
    double word_accuracy() const;
    double next_accuracy() const;
  };
  std::vector<std::string> ReadTexts(
      const std::vector<std::string>& paths,
      const std::vector<std::string>& columns) const;
  BatchOptions Batches() const { return {data.batch_tokens, data.batch_texts}; }
  PretrainingCorpus Encode(std::span<const std::string> lines, int duplicates,
                           uint64_t seed) const;
  Score ScoreOf(const PretrainingCorpus& corpus) const;
  BertText TextOf(const std::string& line, bool pair, int64_t number) const;
  ModelAnswer Words(const Context& ctx, const BertText& text) const;
  ModelAnswer Next(const Context& ctx, const BertText& text) const;

  std::optional<Vocabulary> vocabulary_;
  std::unique_ptr<Bert> model_;
  uint64_t seed_ = 0;

  std::vector<std::string> train_text_;
  std::vector<std::string> valid_text_;
  PretrainingCorpus train_;
  PretrainingCorpus valid_;

  // Of prediction and evaluation
  std::string mode_ = "words";
  int candidates_ = 5;
  std::vector<std::string> compared_;
  std::vector<std::string> compared_columns_ = {"text"};
};

}  // namespace heed

#endif  // HEED_TASKS_PRETRAIN_H_
