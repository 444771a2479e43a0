// Translation: from one text to another, line by line.
#ifndef HEED_TASKS_TRANSLATION_H_
#define HEED_TASKS_TRANSLATION_H_

#include <memory>
#include <optional>
#include <string>

#include "heed/data/batches.h"
#include "heed/decode/translator.h"
#include "heed/metrics/aer.h"
#include "heed/models/decoder.h"
#include "heed/models/registry.h"
#include "heed/tasks/parallel_text.h"
#include "heed/tasks/task.h"
#include "heed/tasks/translation_evaluation.h"
#include "heed/tasks/translation_model.h"
#include "heed/text/bpe_dropout.h"
#include "heed/text/vocabulary.h"
#include "heed/text/word_tokens.h"

namespace heed {

/// All of `heed train --task translate`.
struct TranslationConfig {
  ModelChoice<TranslatorSettings> model;
  DataConfig data;
  OptimizerConfig optimizer;
  RunConfig run;

  void Visit(FieldList& v);
  /// Throws: ConfigError.
  void Resolve();
};

class TranslationTask : public Task {
 public:
  TranslationTask() = default;
  TranslationTask(ModelChoice<TranslatorSettings> model, DataConfig data)
      : model(std::move(model)), data(std::move(data)) {}

  ModelChoice<TranslatorSettings> model;
  DataConfig data;

  std::string name() const override { return "translate"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void Resolve() override;

  void ReadExamples() override { SetText(ReadTrainingText(data)); }
  /// Text that is in memory, instead of ReadExamples. The files of links that
  /// the settings name are read. Throws: IoError; FormatError if they do not
  /// fit the text.
  void SetText(TrainingText text);
  bool in_files() const override;
  void LearnVocabularies() override;
  ModelFiles Files() const override;
  void SetFiles(const ModelFiles& files, const std::string& folder) override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"source_vocabulary", vocabularies_->source.size()},
            {"target_vocabulary", vocabularies_->target.size()}};
  }
  void MakeModel(uint64_t seed) override;
  void EncodeExamples() override;

  ParameterSet& parameters() override { return model_->model->parameters(); }
  std::string Summary() const override;
  std::string CheckSum() const override;
  std::vector<std::vector<int64_t>> PlanEpoch(uint64_t seed,
                                              int epoch) const override;
  int64_t Units(std::span<const int64_t> examples) const override;
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::vector<MeasureInfo> Measures() const override;
  bool has_valid() const override { return text_.has_valid(); }
  Metrics Validate(const std::string& measure) const override;

  void VisitPredict(FieldList& v) override { decode_.Visit(v); }
  Predictor MakePredictor(const Context& ctx, bool with_parts,
                          const InputOptions& options) const override;
  InputReading reading() const override;
  ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const override;
  void VisitEvaluate(FieldList& v) override;
  Report Evaluate() const override;

  /// What was read: settings, vocabularies and weights.
  const TranslationModel& translation() const { return *model_; }
  /// Gives it away.
  TranslationModel TakeModel() { return std::move(*model_); }

 private:
  BatchOptions Batches() const;
  bool guided() const { return !data.guided_alignment.empty(); }
  /// A batch, and the words of its tokens if they are guided.
  struct Examples {
    Batch batch;
    std::vector<WordTokens> source;
    std::vector<WordTokens> target;
  };
  Examples TrainingExamples(const Context& ctx,
                            std::span<const int64_t> examples) const;
  Tensor Links(std::span<const int64_t> examples, const Examples& in) const;

  std::string folder_;  // that it was read from
  std::optional<Vocabularies> vocabularies_;
  std::optional<TranslationModel> model_;
  TrainingText text_;
  std::vector<AlignmentLinks> links_;  // of the lines of text_.train
  std::vector<GoldAlignment> valid_gold_;
  ParallelText aligned_;  // the pairs of valid_gold_, long ones empty
  int64_t linked_pairs_ = 0;
  Corpus train_;
  // Of each pair of train_, if it is guided: words of its tokens.
  std::vector<std::vector<int32_t>> source_words_;
  std::vector<std::vector<int32_t>> target_words_;
  Corpus valid_;
  std::optional<BpeDropout> source_dropout_;
  std::optional<BpeDropout> target_dropout_;

  // Of prediction and evaluation
  DecodeOptions decode_;
  PairFiles compared_;
  EvaluationOptions evaluation_;
  std::string plot_file_;
};

/// The model that filled settings describe, with fresh weights.
std::unique_ptr<Decoder> MakeTranslator(const TranslatorSettings& settings,
                                        const Vocabularies& vocabularies,
                                        uint64_t seed);

/// A translation model of a folder. Throws: as ReadTask; FormatError if the
/// folder holds a model of another task.
TranslationModel ReadTranslationModel(const std::string& folder,
                                      const std::string& dtype = "auto");

/// The translations of a line in parts: text, score, tokens of both sides with
/// the probability of each of the target, and with `align` links of
/// white-space words, where the model has an attention; and the alternatives.
nlohmann::ordered_json TranslationParts(const Context& ctx,
                                        const TranslationModel& model,
                                        const std::string& line,
                                        const Translations& translations,
                                        bool align);

/// The model and those of `folders` as one (see Ensemble), in its precision.
/// Throws: as ReadTranslationModel; ConfigError if one has other vocabularies.
TranslationModel WithEnsemble(TranslationModel model,
                              const std::vector<std::string>& folders);

/// Trains as the config says, on files or on text in memory.
TrainResult TrainTranslation(const TranslationConfig& config);
TrainResult TrainTranslation(const TranslationConfig& config,
                             TrainingText text);

}  // namespace heed

#endif  // HEED_TASKS_TRANSLATION_H_
