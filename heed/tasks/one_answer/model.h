// Models, data and settings of tasks with one answer for each input.
#ifndef HEED_TASKS_ONE_ANSWER_MODEL_H_
#define HEED_TASKS_ONE_ANSWER_MODEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/metrics/classification.h"
#include "heed/metrics/metrics.h"
#include "heed/models/classifier.h"
#include "heed/models/registry.h"
#include "heed/tasks/one_answer/one_answer.h"

namespace heed::one_answer {

/// Options of `heed train`, keys of config.json.
struct Config {
  LabelledFiles train;
  LabelledFiles valid;
  LabelledFormat format;
  int max_length = 512;
  int batch_symbols = 4096;
  int batch_inputs = 64;
  ModelChoice<EncoderSettings> encoder;
  ClassifierConfig classifier;
};

/// Converts an input to ids. Throws: FormatError that begins with `place` if it
/// is malformed or longer than `max_length` (0: no limit).
std::vector<int32_t> ReadInputOf(const OneAnswerTask& task,
                                 std::string_view input,
                                 const std::string& place, int max_length);
/// The id of a label. Throws: FormatError that begins with `place`.
int32_t LabelNamed(const OneAnswerTask& task, const std::string& name,
                   const std::string& place);

/// Examples as ids.
struct ExampleSet {
  /// Ids of each input and of its label (0 if the answer is a number).
  Corpus corpus;
  std::vector<double> numbers;  ///< answers that are numbers

  int64_t size() const { return corpus.size(); }
};

/// Reads examples. Throws: IoError; FormatError that names list and line.
ExampleSet ReadExamples(const OneAnswerTask& task, const LabelledFiles& files,
                        const LabelledFormat& format, int max_length);

/// The batch of the inputs of `all` at `indices`.
TextInput BatchOf(std::span<const std::vector<int32_t>> all,
                  std::span<const int64_t> indices);

struct Data {
  ExampleSet train;
  ExampleSet valid;
};

/// The file of a model's NumberScale.
inline constexpr const char* kScaleFile = "scale.json";

/// Normalisation of numeric answers: (number − mean) / deviation.
struct NumberScale {
  double mean = 0;
  double deviation = 1;
};

/// An encoder of symbols, pooled to one vector, and one output per label, or
/// one numeric output. Immutable except for its parameters.
class Model : public TaskModel {
 public:
  Model(std::shared_ptr<const OneAnswerTask> own, Config settings,
        NumberScale number_scale, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return parameters_; }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return network.Outline(); }
  std::vector<std::pair<std::string, int64_t>> Sizes() const override;

  bool of_labels() const { return !task->labels.empty(); }
  /// Log-probabilities of labels, or numbers in their original units. Shapes:
  /// scores [B, C]; result [B, C].
  Var AnswersOf(const Var& scores) const;
  /// Predicts all inputs, in batches. Shapes: result f32 [inputs, C].
  Tensor Answers(const Context& ctx, const Corpus& corpus) const;
  /// Scores answers: accuracy, macro F1 (both in per cent) and loss of labels;
  /// mean absolute error and root mean square error of numbers.
  Metrics Score(const Tensor& answers, const ExampleSet& gold) const;

  const std::shared_ptr<const OneAnswerTask> task;
  const Config config;
  const NumberScale scale;

 private:
  ParameterSet parameters_;

 public:
  const Classifier network;
};

/// Compares the most probable labels with the gold labels. Shapes: log_p
/// [inputs, C].
ClassReport ClassReportOf(const Tensor& log_p, const Corpus& gold);

struct Prediction {
  bool probabilities = false;
  bool of_labels = true;  ///< true if the answers are labels

  void Visit(FieldList& v);
};

struct Evaluation {
  LabelledFiles files;
  LabelledFormat format;

  void Visit(FieldList& v);
};

class Settings : public TaskSettingsOf<Data, Model, Prediction, Evaluation>,
                 public Config {
 public:
  explicit Settings(std::shared_ptr<const OneAnswerTask> task);

  std::string task() const override { return task_->row.name; }
  void ChooseModel(const std::string& name) override { encoder.Choose(name); }
  void Visit(FieldList& v) override;
  void VisitTraining(FieldList& v, TrainingConfig& training) const override;
  void SetDefaults(TrainingConfig& training) const override;
  void Resolve() override;

  Data Read() const override;
  std::unique_ptr<Model> MakeModel(const Data& data,
                                   uint64_t seed) const override;
  std::unique_ptr<Model> Open(const ModelFiles& files,
                              const std::string& folder,
                              uint64_t seed) const override;
  Prediction prediction() const override;
  Evaluation evaluation() const override;
  std::vector<MeasureInfo> Measures(const Data& data) const override;
  std::unique_ptr<Trainable> MakeObjective(Data data, Model& model,
                                           uint64_t seed) const override;
  std::unique_ptr<Predictor> MakePredictor(const Model& model,
                                           Prediction options) const override;
  Report Evaluate(const Model& model, const Evaluation& options) const override;

 private:
  std::shared_ptr<const OneAnswerTask> task_;
};

}  // namespace heed::one_answer

#endif  // HEED_TASKS_ONE_ANSWER_MODEL_H_
