// Translation of text, line by line.
#ifndef HEED_TASKS_TRANSLATE_TRANSLATION_H_
#define HEED_TASKS_TRANSLATE_TRANSLATION_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/decode/translator.h"
#include "heed/metrics/aer.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/translate/parallel_text.h"
#include "heed/tasks/translate/translate_options.h"
#include "heed/tasks/translate/translation_evaluation.h"
#include "heed/tasks/translate/translation_model.h"
#include "heed/train/trainer.h"

namespace heed::translate {

/// All settings of `heed train --task translate`.
struct Config {
  ModelChoice<TranslatorSettings> model;
  DataConfig data;
  OptimizerConfig optimizer;
  RunConfig run;

  void Visit(FieldList& v);
  /// Resolves defaults. Throws: ConfigError.
  void Resolve();
};

struct Data {
  TrainingText text;
  std::vector<AlignmentLinks> links;  // one per line of text.train
  std::vector<GoldAlignment> valid_gold;
};

/// Reads the files of alignment links that the settings name for this text.
/// Throws: IoError; FormatError if they do not match the text.
Data WithLinks(TrainingText text, const DataConfig& config);

struct Evaluation : EvaluationOptions {
  PairFiles files;
  std::string by_length;

  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation> {
 public:
  Settings() = default;
  Settings(ModelChoice<TranslatorSettings> model, DataConfig data)
      : model(std::move(model)), data(std::move(data)) {}

  ModelChoice<TranslatorSettings> model;
  DataConfig data;

  std::string task() const override { return "translate"; }
  void ChooseModel(const std::string& name) override { model.Choose(name); }
  void Visit(FieldList& v) override;
  void Resolve() override;
  bool in_files() const override { return !data.train.empty(); }

  Data Read() const override {
    return WithLinks(ReadTrainingText(data, quiet), data);
  }
  std::unique_ptr<Model> MakeModel(const Data& read,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  std::vector<MeasureInfo> Measures(const Data& read) const override;
  std::unique_ptr<Trainable> MakeObjective(Data read, Model& translator,
                                           uint64_t seed) const override;
  /// Default options; scores are kept only if a call shows them.
  Prediction prediction() const override {
    Prediction options(data.rules);
    options.keep_scores = false;
    return options;
  }
  Evaluation evaluation() const override {
    Evaluation options;
    options.decode = Prediction(data.rules);
    options.tokenize = data.tokenize;
    return options;
  }
  InputReading Reading(const Prediction& options) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& translator,
                                           Prediction options) const override;
  Report Evaluate(const Model& translator,
                  const Evaluation& options) const override;
};

TaskRow Task();

/// The translations of a line as JSON: text, score, tokens of both sides with
/// target probabilities, and alternatives. With `align`, also links of
/// white-space words if the model has attention; with `confidence`, also the
/// confidence of the best translation and of its words.
nlohmann::ordered_json TranslationParts(const Context& ctx, const Model& model,
                                        const std::string& line,
                                        const Translations& translations,
                                        bool align, bool confidence);

/// Output lines for the translations of line `index` (see heed::LinesOf), with
/// their confidences if the options request them.
std::string OutputLines(const Model& model, int64_t index,
                        const Translations& translations,
                        const Prediction& options);

/// Trains by the config, on files or on text in memory.
TrainResult TrainTranslation(const Config& config);
TrainResult TrainTranslation(const Config& config, TrainingText text);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_TRANSLATION_H_
