// Classification of texts and of pairs of texts.
#ifndef HEED_TASKS_CLASSIFY_H_
#define HEED_TASKS_CLASSIFY_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/labelled.h"
#include "heed/metrics/classification.h"
#include "heed/models/classifier.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed {

/// Where labelled texts come from and how they become batches.
struct ClassifyDataConfig {
  LabelledFormat format;
  LabelledFiles train;
  LabelledFiles valid;
  TextVocabularyConfig vocabulary;
  int max_length = 256;
  int batch_tokens = 4096;
  int batch_texts = 64;

  void Visit(FieldList& v);
};

/// An encoder (a recurrent network or a Transformer), pooled to one vector.
class ClassifyTask : public Task {
 public:
  ModelChoice<EncoderSettings> encoder;
  ClassifierConfig classifier;
  ClassifyDataConfig data;

  std::string name() const override { return "classify"; }
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  /// Also from an encoder of `--task pretrain`.
  bool CanStartFrom(const std::string& task) const override;

  void ReadExamples() override;
  /// Texts that are in memory, instead of ReadExamples.
  void SetText(LabelledText train, LabelledText valid);
  bool in_files() const override { return !data.train.texts.empty(); }
  void LearnVocabularies() override;
  ModelFiles Files() const override;
  void SetFiles(const ModelFiles& files, const std::string& folder) override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"vocabulary", vocabulary_->size()}, {"labels", labels_->size()}};
  }
  void MakeModel(uint64_t seed) override;
  void StartWeights() override;
  void EncodeExamples() override;

  ParameterSet& parameters() override { return *parameters_; }
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
  bool has_valid() const override { return !valid_text_.text.empty(); }
  Metrics Validate(const std::string& measure) const override;

  void VisitPredict(FieldList& v) override;
  /// A text (of a pair: text, tab, second text) a line; writes its label, or
  /// its labels with commas between them.
  Predictor MakePredictor(const Context& ctx, bool with_parts,
                          const InputOptions& options) const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const override;
  void VisitEvaluate(FieldList& v) override;
  Report Evaluate() const override;

 private:
  void StartFromPretrained();
  /// What the model says of a corpus, text by text.
  struct Answers {
    TextLabels chosen;
    std::vector<std::vector<float>> probabilities;
    double nll = 0;  // Σ, of texts with labels
  };
  bool pairs() const { return data.format.pairs(); }
  void AddLine(const std::string& line, const std::string& place,
               LabelledText& text) const;
  LabelledCorpus Encode(const LabelledText& text, bool with_labels) const;
  Answers Answer(const Context& ctx, const LabelledCorpus& corpus,
                 bool with_labels) const;
  Metrics Score(const LabelledCorpus& corpus, const Answers& answers) const;
  std::string Table(std::span<const ClassScore> classes) const;
  std::vector<ModelAnswer> Say(const Answers& answers) const;

  std::optional<Vocabulary> vocabulary_;
  std::optional<LabelSet> labels_;
  std::unique_ptr<ParameterSet> parameters_;
  std::unique_ptr<Classifier> model_;

  LabelledText train_text_;
  LabelledText valid_text_;
  LabelledCorpus train_;
  LabelledCorpus valid_;

  // Of prediction and evaluation
  double threshold_ = 0.5;
  bool probabilities_ = false;
  LabelledFiles compared_;
  std::optional<LabelledFormat> compared_format_;
};

}  // namespace heed

#endif  // HEED_TASKS_CLASSIFY_H_
