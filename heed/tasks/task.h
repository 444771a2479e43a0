// What models are trained for: a row of the registry and a folder each.
//
// A row makes settings; settings make the roles of a task, each of which gets
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

/// One measured figure: what `heed evaluate` prints, and writes as JSON.
struct Figure {
  std::string key;    // in JSON: "f1"
  std::string label;  // in the table: "F1"
  double value = 0;   // kNoFigure over no example: "-", in JSON null
  int decimals = 2;   // shown
  std::string unit;   // behind it: "%"
  std::string note;   // how it was measured
  /// Shown only if --metric names it.
  bool on_request = false;
  /// Shown instead of the number.
  std::string shown = {};
};

/// The value with so many decimals; "-" for kNoFigure.
std::string FigureText(double value, int decimals);

/// Help of the option that chooses figures of a report by their keys.
inline constexpr const char* kMetricHelp =
    "show these measures alone, by their names in --output json, as bleu,chrf; "
    "left out: the usual ones";

struct Report {
  std::string heading;  // "1000 sentences in 3.0 s"
  /// Folders of further models that took part in the answers.
  std::vector<std::string> models = {};
  std::vector<Figure> figures;
  /// Further members of the JSON object.
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
  /// Shown under the figures: tables, curves.
  std::string text;
  /// A curve that was asked for, to be drawn beside those of other models.
  std::optional<Series> curve;
  LinePlotOptions axes;
};

/// Leaves the figures of these keys in a report, in that order; of no keys the
/// usual ones. Throws: ConfigError that lists the keys there are.
void ChooseFigures(const std::vector<std::string>& keys, Report& report);

/// Examples as they were read.
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

/// An input to begin with, in this language; "": it does not matter.
struct InputExample {
  std::string text;
  std::string language = {};
  /// Where inputs are files: makes the one of this name.
  std::function<NamedBytes()> file = {};
};

struct PretrainedEncoder;

/// The parts of any network: the first words of the names of its weights, and
/// how many there are.
ModelOutline OutlineOf(const ParameterSet& parameters);

/// A network and what else a prediction needs: resolved settings, vocabularies,
/// labels, scales. Const uses are thread-safe.
class TaskModel {
 public:
  virtual ~TaskModel() = default;

  virtual ParameterSet& parameters() = 0;
  const ParameterSet& parameters() const {
    return const_cast<TaskModel*>(this)->parameters();
  }
  /// What a folder holds besides settings and weights.
  virtual ModelFiles Files() const { return {}; }
  /// The encoder that models of other tasks can start from; null: none.
  virtual std::unique_ptr<PretrainedEncoder> encoder() const;
  /// Of what the network is made and what flows where, for pictures, but for
  /// its name; undefined: it does not say, and pictures show OutlineOf its
  /// weights.
  virtual ModelOutline Outline() const { return {}; }
  /// What was learnt, by name: {"source_vocabulary", 8000}.
  virtual std::vector<std::pair<std::string, int64_t>> Sizes() const {
    return {};
  }
  /// Inputs to begin with, and what an empty field asks for, where they depend
  /// on what was learnt; none: those of the task.
  virtual std::vector<InputExample> Examples() const { return {}; }
  virtual std::string Prompt() const { return ""; }
};

struct TaskRow;

/// Settings of a task, and what is made of them. A task derives from
/// TaskSettingsOf, which has these functions with the task's own types.
class TaskSettings {
 public:
  virtual ~TaskSettings() = default;

  /// The name of its row: as in `--task`, and the key "task" of config.json.
  virtual std::string task() const = 0;
  /// Chooses the model by its name; what other settings there are depends on
  /// it. Throws: ConfigError that lists the names.
  virtual void ChooseModel(const std::string& name) = 0;
  /// What the chosen model reads: what the row of its task says, unless models
  /// of a task differ in it.
  virtual InputKind input_kind() const;
  /// Settings of data and model: options, keys of config.json. A text field
  /// with the placeholder FILE or DIR is a path.
  virtual void Visit(FieldList& v) = 0;
  /// What this task prefers to the usual defaults.
  virtual void SetDefaults(TrainingConfig& /*training*/) const {}
  /// Updates that a training needs to learn anything, however small the data:
  /// the default of RunConfig::min_steps in `heed train`.
  virtual int64_t LeastUpdates() const { return 0; }
  /// Settings of its training: those of every training without what has no
  /// effect on this task.
  virtual void VisitTraining(FieldList& v, TrainingConfig& training) const {
    training.Visit(v);
  }
  /// Fills in what "auto" and 0 stand for and checks that the choices fit
  /// together. Throws: ConfigError.
  virtual void Resolve() = 0;
  /// Whether the examples are in files that the settings name.
  virtual bool in_files() const { return true; }

  /// Whether reading shows no progress.
  bool quiet = false;

  /// Folder of a model that training starts from, or none: of the same task,
  /// then with its settings, vocabularies and all weights, or of another that
  /// this one CanStartFrom.
  std::string pretrained;
  /// Whether training can start from a model of this other task.
  virtual bool CanStartFrom(const TaskRow& /*task*/) const { return false; }
  /// Takes from `pretrained`, of another task, what its weights need. Throws:
  /// IoError, FormatError.
  virtual void TakePretrained() {}
  /// All settings: Visit's and where training starts.
  void VisitAll(FieldList& v);

  /// The files that the settings name. Throws: ConfigError, IoError,
  /// FormatError.
  virtual std::unique_ptr<Dataset> ReadDataset() const = 0;
  /// Vocabularies, labels and scales of the examples, and fresh
  /// weights; or weights of `pretrained`, if it is of another task. Throws:
  /// ConfigError.
  virtual std::unique_ptr<TaskModel> MakeModel(const Dataset& data,
                                               uint64_t seed) const = 0;
  /// A model of a folder's files, with fresh weights; kNoSeed: they are read
  /// next. Throws: FormatError that names the file in `folder`.
  virtual std::unique_ptr<TaskModel> OpenModel(const ModelFiles& files,
                                               const std::string& folder,
                                               uint64_t seed) const = 0;
  /// What validation can measure on these examples; the default comes first.
  virtual std::vector<MeasureInfo> Measures(const Dataset& data) const = 0;
  /// What is minimised, on these examples; `model` outlives it. `seed`: of what
  /// is drawn to make examples. Throws: ConfigError if none is left;
  /// FormatError for a label that the model does not know.
  virtual std::unique_ptr<Trainable> MakeObjective(
      std::unique_ptr<Dataset> data, TaskModel& model, uint64_t seed) const = 0;

  /// Options of `heed predict`, and of `heed evaluate`: the files to compare
  /// with, and how.
  virtual std::unique_ptr<OptionSet> PredictOptions() const = 0;
  virtual std::unique_ptr<OptionSet> EvaluateOptions() const = 0;
  /// How standard input is read for these options of `heed predict`.
  virtual InputReading Reading(const OptionSet& options) const = 0;
  /// `model` outlives it. Throws: ConfigError, IoError, FormatError for what
  /// the options name.
  virtual std::unique_ptr<Predictor> MakePredictor(
      const TaskModel& model, const OptionSet& options) const = 0;
  /// Throws: ConfigError, IoError, FormatError.
  virtual Report Evaluate(const TaskModel& model,
                          const OptionSet& options) const = 0;
};

/// Settings of a task whose examples are a D, whose model is an M (made from
/// what was read or learnt), and which predicts with options P and evaluates
/// with options E: plain values with a Visit. A task overrides the functions
/// that take its own types; those of TaskSettings call them. Objects of another
/// task throw std::bad_cast.
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

/// VisitTraining of a task whose loss smooths no labels.
void VisitWithoutSmoothing(FieldList& v, TrainingConfig& training);

/// What the objectives of models M share. The model outlives it.
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

/// All that anybody else knows of a task.
struct TaskRow {
  std::string name;
  std::string description;
  std::function<std::unique_ptr<TaskSettings>()> settings;
  InputKind input = {};
  /// What its inputs and answers are called, and what an empty field asks for.
  std::string input_label = "Text";
  std::string answer_label = "Answer";
  std::string prompt = "Type a sentence and press Enter";
  std::vector<InputExample> examples = {};
  /// Whether its models have an encoder that others can start from.
  bool gives_encoder = false;
  /// Whether its models read a text by a part that others can start from,
  /// without marks that the encoder knows.
  bool gives_reader = false;
  /// Of `heed train`: the command that uses the model.
  std::string command = "predict";
  /// Likewise: what its help shows as examples, options without --task and
  /// --out.
  std::vector<std::string> training = {};
};

/// All tasks, the first of which is meant where none is named.
const std::vector<TaskRow>& Tasks();
/// Adds one, before any other use of them. Throws: ConfigError if there is one
/// of its name.
void AddTask(TaskRow row);
/// Throws: ConfigError that lists the names.
const TaskRow& TaskNamed(const std::string& name);

/// " (the text does not allow 8000)", or the like, of a vocabulary that was
/// learnt with another size than was asked for (0: any), else "".
std::string LearntSizeNote(int64_t size, int asked);

}  // namespace heed

#endif  // HEED_TASKS_TASK_H_
