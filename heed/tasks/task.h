// The interface of a task, which a model is trained for. Each task has a row of
// the registry and a folder.
//
// A row makes settings. Settings make the roles of a task, each of which gets
// all that it needs when it is made:
//   settings → data set → model (vocabularies, weights) → objective → training
//   settings → model of a folder → predictor, evaluation
#ifndef HEED_TASKS_TASK_H_
#define HEED_TASKS_TASK_H_

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/base/model_outline.h"
#include "heed/render/line_plot.h"
#include "heed/tasks/input.h"
#include "heed/tasks/predictor.h"
#include "heed/train/config.h"
#include "heed/train/model_folder.h"
#include "heed/train/trainable.h"

namespace heed {

/// One measured figure, as `heed evaluate` prints it and writes it as JSON.
struct Figure {
  std::string key;    // in JSON: "f1"
  std::string label;  // in the table: "F1"
  double value = 0;   // kNoFigure over no example: "-", in JSON null
  int decimals = 2;   // digits shown after the decimal point
  std::string unit;   // shown after the number: "%"
  std::string note;   // how it was measured
  /// Shown only if --metric names it.
  bool on_request = false;
  /// Shown instead of the number.
  std::string shown = {};
};

/// Returns the value with this number of decimals; "-" for kNoFigure.
std::string FigureText(double value, int decimals);

/// Help of the option that chooses figures of a report by their keys.
inline constexpr const char* kMetricHelp =
    "print only these measures, by their names in --output json, such as "
    "bleu,chrf (default: the usual ones)";

struct Report {
  std::string heading;  // "1000 sentences in 3.0 s"
  /// Folders of the other models of an ensemble.
  std::vector<std::string> models = {};
  std::vector<Figure> figures;
  /// Further members of the JSON object.
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
  /// Shown under the figures: tables, curves.
  std::string text;
  /// Optional curve, drawn together with those of other models.
  std::optional<Series> curve;
  LinePlotOptions axes;
};

/// Keeps only the figures with these keys, in this order. Without keys, the
/// report is unchanged, and figures that are `on_request` stay hidden. Throws:
/// ConfigError that lists the valid keys.
void ChooseFigures(const std::vector<std::string>& keys, Report& report);

/// The examples of a task, read but not yet encoded.
class Dataset {
 public:
  virtual ~Dataset() = default;
};

template <typename T>
class DatasetOf : public Dataset {
 public:
  explicit DatasetOf(T data) : value(std::move(data)) {}
  T value;
};

/// An example input. `language`: its language; "" if it does not matter.
struct InputExample {
  std::string text;
  std::string language = {};
  /// For tasks that read files: reads the example file.
  std::function<NamedBytes()> file = {};
};

struct PretrainedEncoder;
class Vocabulary;

/// An outline made from parameter names alone: one part per leading name
/// component, with its number of weights.
ModelOutline OutlineOf(const ParameterSet& parameters);

/// A network with all that a prediction needs: resolved settings, vocabularies,
/// labels, scales. Const uses are thread-safe.
class TaskModel {
 public:
  virtual ~TaskModel() = default;

  virtual ParameterSet& parameters() = 0;
  const ParameterSet& parameters() const {
    return const_cast<TaskModel*>(this)->parameters();
  }
  /// Vocabulary of the texts that the model reads, and of those that it writes;
  /// null: it reads or writes no text.
  virtual const Vocabulary* read_vocabulary() const { return nullptr; }
  virtual const Vocabulary* written_vocabulary() const {
    return read_vocabulary();
  }
  /// Files of the model folder besides settings and weights.
  virtual ModelFiles Files() const { return {}; }
  /// The encoder that models of other tasks can load; null: none.
  virtual std::unique_ptr<PretrainedEncoder> encoder() const;
  /// Structure of the network for diagrams, without its name. If undefined,
  /// diagrams use OutlineOf(parameters()).
  virtual ModelOutline Outline() const { return {}; }
  /// Sizes learnt from the data, by name: {"source_vocabulary", 8000}.
  virtual std::vector<std::pair<std::string, int64_t>> Sizes() const {
    return {};
  }
  /// Example inputs that depend on the trained model; none: those of the task.
  /// Prompt() is the placeholder of the empty input field; "": the task's.
  virtual std::vector<InputExample> Examples() const { return {}; }
  virtual std::string Prompt() const { return ""; }
};

struct TaskRow;

/// Settings of a task, which make its roles. A task derives from
/// TaskSettingsOf, which has these functions with the task's own types.
class TaskSettings {
 public:
  virtual ~TaskSettings() = default;

  /// Name of the task: the value of `--task` and of the key "task" in
  /// config.json.
  virtual std::string task() const = 0;
  /// Chooses the model by its name, which determines the other settings.
  /// Throws: ConfigError that lists the names.
  virtual void ChooseModel(const std::string& name) = 0;
  /// Kind of input that the chosen model reads; by default that of the task's
  /// row.
  virtual InputKind input_kind() const;
  /// Settings of data and model: command-line options and keys of config.json.
  /// A text field with the placeholder FILE or DIR is a path.
  virtual void Visit(FieldList& v) = 0;
  /// Sets this task's defaults of the training options.
  virtual void SetDefaults(TrainingConfig& /*training*/) const {}
  /// Minimum number of updates that training needs, however small the data: the
  /// default of RunConfig::min_steps in `heed train`.
  virtual int64_t MinUpdates() const { return 0; }
  /// Training settings: the common ones without those that have no effect on
  /// this task.
  virtual void VisitTraining(FieldList& v, TrainingConfig& training) const {
    training.Visit(v);
  }
  /// Replaces "auto" and 0 by their values and checks that the settings are
  /// consistent. Throws: ConfigError.
  virtual void Resolve() = 0;
  /// True if the settings name the files of the examples.
  virtual bool in_files() const { return true; }

  /// True if reading shows no progress.
  bool quiet = false;

  /// Folder of the model that training starts from; "": none. A model of the
  /// same task gives its settings, vocabularies and all weights. A model of
  /// another task, allowed by CanStartFrom, gives its encoder.
  std::string pretrained;
  /// True if training can start from a model of this other task.
  virtual bool CanStartFrom(const TaskRow& /*task*/) const { return false; }
  /// Takes the settings that the weights of `pretrained`, a model of another
  /// task, require. Throws: IoError, FormatError.
  virtual void TakePretrained() {}
  /// Visits all settings: those of Visit and `pretrained`.
  void VisitAll(FieldList& v);

  /// Reads the files that the settings name. Throws: ConfigError, IoError,
  /// FormatError.
  virtual std::unique_ptr<Dataset> ReadDataset() const = 0;
  /// Makes a model with vocabularies, labels and scales of the examples. Its
  /// weights are fresh, or those of `pretrained` if that is of another task.
  /// Throws: ConfigError.
  virtual std::unique_ptr<TaskModel> MakeModel(const Dataset& data,
                                               uint64_t seed) const = 0;
  /// Makes a model from a folder's files, with fresh weights. kNoSeed: weights
  /// are not initialised because they are read next. Throws: FormatError that
  /// names the file in `folder`.
  virtual std::unique_ptr<TaskModel> OpenModel(const ModelFiles& files,
                                               const std::string& folder,
                                               uint64_t seed) const = 0;
  /// Metrics that validation can compute on these examples, the default first.
  virtual std::vector<MeasureInfo> Measures(const Dataset& data) const = 0;
  /// Makes the training objective on these examples; `model` must outlive it.
  /// `seed`: random seed of the preparation of examples. Throws: ConfigError if
  /// no example is left; FormatError for a label that the model does not know.
  virtual std::unique_ptr<Trainable> MakeObjective(
      std::unique_ptr<Dataset> data, TaskModel& model, uint64_t seed) const = 0;

  /// Default options of `heed predict` and of `heed evaluate`. The latter
  /// include the files of the reference answers.
  virtual std::unique_ptr<OptionSet> PredictOptions() const = 0;
  virtual std::unique_ptr<OptionSet> EvaluateOptions() const = 0;
  /// Returns how standard input is read for these options of `heed predict`.
  virtual InputReading Reading(const OptionSet& options) const = 0;
  /// Makes a predictor; `model` must outlive it. Throws: ConfigError, IoError,
  /// FormatError for the files and values that the options name.
  virtual std::unique_ptr<Predictor> MakePredictor(
      const TaskModel& model, const OptionSet& options) const = 0;
  /// Evaluates the model. Throws: ConfigError, IoError, FormatError.
  virtual Report Evaluate(const TaskModel& model,
                          const OptionSet& options) const = 0;
};

/// Settings of a task with examples D, model M, prediction options P and
/// evaluation options E. P and E are plain values with a Visit. A task
/// overrides the functions with its own types, which those of TaskSettings
/// call. Objects of another task throw std::bad_cast.
template <typename D, typename M, typename P, typename E>
class TaskSettingsOf : public TaskSettings {
 public:
  using Data = D;

  virtual D Read() const = 0;
  virtual std::unique_ptr<M> MakeModel(const D& data, uint64_t seed) const = 0;
  virtual std::unique_ptr<M> Open(const ModelFiles& files,
                                  const std::string& folder,
                                  uint64_t seed) const = 0;
  virtual std::vector<MeasureInfo> Measures(const D& data) const = 0;
  virtual std::unique_ptr<Trainable> MakeObjective(D data, M& model,
                                                   uint64_t seed) const = 0;
  /// Default options of a prediction and of an evaluation.
  virtual P prediction() const { return P(); }
  virtual E evaluation() const { return E(); }
  virtual InputReading Reading(const P& /*options*/) const {
    return InputReading();
  }
  virtual std::unique_ptr<Predictor> MakePredictor(const M& model,
                                                   P options) const = 0;
  virtual Report Evaluate(const M& model, const E& options) const = 0;

  std::unique_ptr<Dataset> ReadDataset() const final {
    return std::make_unique<DatasetOf<D>>(Read());
  }
  std::unique_ptr<TaskModel> MakeModel(const Dataset& data,
                                       uint64_t seed) const final {
    return MakeModel(dynamic_cast<const DatasetOf<D>&>(data).value, seed);
  }
  std::unique_ptr<TaskModel> OpenModel(const ModelFiles& files,
                                       const std::string& folder,
                                       uint64_t seed) const final {
    return Open(files, folder, seed);
  }
  std::vector<MeasureInfo> Measures(const Dataset& data) const final {
    return Measures(dynamic_cast<const DatasetOf<D>&>(data).value);
  }
  std::unique_ptr<Trainable> MakeObjective(std::unique_ptr<Dataset> data,
                                           TaskModel& model,
                                           uint64_t seed) const final {
    return MakeObjective(std::move(dynamic_cast<DatasetOf<D>&>(*data).value),
                         dynamic_cast<M&>(model), seed);
  }
  std::unique_ptr<OptionSet> PredictOptions() const final {
    return std::make_unique<OptionsOf<P>>(prediction());
  }
  std::unique_ptr<OptionSet> EvaluateOptions() const final {
    return std::make_unique<OptionsOf<E>>(evaluation());
  }
  InputReading Reading(const OptionSet& options) const final {
    return Reading(dynamic_cast<const OptionsOf<P>&>(options).value);
  }
  std::unique_ptr<Predictor> MakePredictor(
      const TaskModel& model, const OptionSet& options) const final {
    return MakePredictor(dynamic_cast<const M&>(model),
                         dynamic_cast<const OptionsOf<P>&>(options).value);
  }
  Report Evaluate(const TaskModel& model,
                  const OptionSet& options) const final {
    const E& given = dynamic_cast<const OptionsOf<E>&>(options).value;
    CheckGiven(given);
    return Evaluate(dynamic_cast<const M&>(model), given);
  }
};

/// VisitTraining for a task whose loss uses no label smoothing.
void VisitWithoutSmoothing(FieldList& v, TrainingConfig& training);

/// Common base of the objectives of models M. The model must outlive it.
template <typename M>
class ObjectiveOf : public Trainable {
 public:
  ObjectiveOf(M& model, std::vector<MeasureInfo> measures)
      : model_(model), measures_(std::move(measures)) {}

  ParameterSet& parameters() final { return model_.parameters(); }
  std::vector<MeasureInfo> Measures() const final { return measures_; }

 protected:
  M& model_;

 private:
  std::vector<MeasureInfo> measures_;
};

/// Registry entry of a task: the only interface to it for other code.
struct TaskRow {
  std::string name;
  std::string description;
  std::function<std::unique_ptr<TaskSettings>()> settings;
  InputKind input = {};
  /// Labels of the input and answer fields, and the placeholder of the input.
  std::string input_label = "Text";
  std::string answer_label = "Answer";
  std::string prompt = "Type a sentence and press Enter";
  std::vector<InputExample> examples = {};
  /// True if the models have a pretrained BERT encoder that other tasks can
  /// load.
  bool gives_encoder = false;
  /// True if the models have a text encoder, trained without special tokens,
  /// that other tasks can load.
  bool gives_reader = false;
  /// Command that uses the model, as `heed train` names it at its end.
  std::string command = "predict";
  /// Examples in the help of `heed train`: options without --task and --out.
  std::vector<std::string> training = {};
};

/// All tasks. The first is the default.
const std::vector<TaskRow>& Tasks();
/// Adds a task. Must be called before any other use of Tasks(). Throws:
/// ConfigError if a task of this name exists.
void AddTask(TaskRow row);
/// Returns the row of a task. Throws: ConfigError that lists the names.
const TaskRow& TaskNamed(const std::string& name);

/// Returns a note such as " (the text does not allow 8000)" if the size of a
/// learnt vocabulary differs from the requested size (0: any), else "".
std::string VocabularySizeNote(int64_t size, int requested);

}  // namespace heed

#endif  // HEED_TASKS_TASK_H_
