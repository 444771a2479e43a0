// What models are trained for: one class for each `heed train --task NAME`.
#ifndef HEED_TASKS_TASK_H_
#define HEED_TASKS_TASK_H_

#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/observer.h"
#include "heed/base/config.h"
#include "heed/data/input_lines.h"
#include "heed/render/line_plot.h"
#include "heed/tasks/explainable_prediction.h"
#include "heed/train/model_folder.h"
#include "heed/train/trainable.h"
#include "heed/train/trainer.h"

namespace heed {

/// One measured figure: what `heed evaluate` prints, and writes as JSON.
struct Figure {
  std::string key;    // in JSON: "f1"
  std::string label;  // in the table: "F1"
  double value = 0;
  int decimals = 2;  // shown
  std::string unit;  // behind it: "%"
  std::string note;  // how it was measured
};

struct Report {
  std::string heading;  // "1000 sentences in 3.0 s"
  std::vector<Figure> figures;
  /// Further members of the JSON object.
  nlohmann::ordered_json details = nlohmann::ordered_json::object();
  /// Shown under the figures: tables, curves.
  std::string text;
  /// A curve that was asked for, to be drawn beside those of other models.
  std::optional<Series> curve;
  LinePlotOptions axes;
};

/// What a model says of an input: as `heed predict` prints it (several lines
/// for several answers), and in parts, for programs.
struct ModelAnswer {
  std::string line;
  nlohmann::ordered_json parts = {};
};

/// Answers inputs, which are lines or a whole text. `first`: the number of the
/// first line, from 0, which errors name and samples depend on. Throws:
/// FormatError that names a line that is not of the form that is needed.
using Predictor = std::function<std::vector<ModelAnswer>(
    std::span<const std::string> inputs, int64_t first)>;

/// How standard input becomes inputs.
struct InputReading {
  int64_t window = 256;  ///< lines that are answered together at most
  InputOptions defaults = {};
  bool whole = false;  ///< all lines are one input
};

/// A task: its settings, its examples and its model. A life is one of
///   settings → ReadExamples → LearnVocabularies (or SetFiles of another model)
///     → MakeModel → EncodeExamples → StartWeights → training
///   settings → SetFiles → MakeModel → weights → Predict, Evaluate
/// Members of settings are public in each class.
class Task : public Trainable {
 public:
  /// As in `--task`, and the key "task" of config.json.
  virtual std::string name() const = 0;

  // Settings
  /// Chooses the model by its name ("transformer-tiny"); what other settings
  /// there are depends on it. Throws: ConfigError that lists the names.
  virtual void ChooseModel(const std::string& name) = 0;
  /// Settings of data and model: options, keys of config.json. A text field
  /// with the placeholder FILE or DIR is a path.
  virtual void Visit(FieldList& v) = 0;
  /// What this task prefers to the usual defaults.
  virtual void SetDefaults(TrainingConfig& /*training*/) const {}
  /// Folder of a model that training starts from, or none: of the same task,
  /// then with its settings (TakeSettings), vocabularies and all weights, or of
  /// another that this one CanStartFrom.
  std::string pretrained;
  virtual bool CanStartFrom(const std::string& task) const {
    return task == name();
  }
  /// All settings: Visit's and where training starts.
  void VisitAll(FieldList& v);
  /// Fills in what "auto" and 0 stand for and checks that the choices fit
  /// together. Throws: ConfigError.
  virtual void Resolve() = 0;

  // Examples and model
  /// Reads the files that the settings name. Throws: ConfigError, IoError,
  /// FormatError.
  virtual void ReadExamples() = 0;
  /// Whether the examples are in files that the settings name.
  virtual bool in_files() const { return true; }
  /// From the examples: vocabularies, labels, scales.
  virtual void LearnVocabularies() = 0;
  /// What the folder holds besides settings and weights.
  virtual ModelFiles Files() const = 0;
  /// Throws: FormatError that names the file in `folder`.
  virtual void SetFiles(const ModelFiles& files, const std::string& folder) = 0;
  /// What was learnt, by name: {"source_vocabulary", 8000}.
  virtual std::vector<std::pair<std::string, int64_t>> Sizes() const = 0;
  /// A fresh model for these vocabularies; kNoSeed: its weights
  /// are read next.
  virtual void MakeModel(uint64_t seed) = 0;
  /// Takes weights from `pretrained`, a model of another task. Throws: IoError;
  /// FormatError.
  virtual void StartWeights() {}
  /// Turns the examples that were read into what Loss wants. Throws:
  /// ConfigError if none is left; FormatError for a label that the model does
  /// not know.
  virtual void EncodeExamples() = 0;

  // Use
  /// Options of `heed predict`.
  virtual void VisitPredict(FieldList& /*v*/) {}
  virtual InputReading reading() const { return {}; }
  /// Refers to the task. Throws: ConfigError, IoError, FormatError for what the
  /// options name; it and the predictor: Cancelled.
  virtual Predictor MakePredictor(const Context& ctx, bool with_parts,
                                  const InputOptions& options) const = 0;
  /// Reads and answers one text, and watches attentions; see Explain.
  /// Throws: FormatError for a text that it cannot read; Cancelled.
  virtual ExplainablePrediction PrepareExplanation(
      const Context& ctx, const ExplainInput& input) const = 0;
  /// Options of `heed evaluate`: the files to compare with, and how.
  virtual void VisitEvaluate(FieldList& v) = 0;
  /// Throws: ConfigError, IoError, FormatError.
  virtual Report Evaluate() const = 0;

 protected:
  /// " (the text does not allow 8000)", or the like, of a vocabulary that was
  /// learnt with another size than was asked for (0: any), else "".
  std::string LearntSizeNote(int64_t size, int asked) const;
};

/// Reads inputs, writes what the model says of them, in order, each as soon as
/// it is known: as lines, or with `json` in parts, an object on each line.
/// Throws: as AnswerLines, Predictor; IoError if it cannot be written;
/// Cancelled.
void PredictStream(const Task& task, const Context& ctx, std::istream& in,
                   std::ostream& out, const InputOptions& options,
                   bool json = false);
/// The same with the options that the task prefers.
void PredictStream(const Task& task, const Context& ctx, std::istream& in,
                   std::ostream& out);

struct TaskInfo {
  std::string name;
  std::string description;
  std::function<std::unique_ptr<Task>()> make;
};

const std::vector<TaskInfo>& Tasks();
/// Throws: ConfigError that lists the names.
std::unique_ptr<Task> MakeTask(const std::string& name);

/// Sets the task to go on from the model in `folder`: it chooses its model, and
/// where both are of one task, takes all of its settings but for the files of
/// its examples. Throws: as ReadTask; ConfigError if the task cannot start from
/// that one.
void TakeSettings(Task& task, const std::string& folder);

/// Trains the task and leaves its model in training.run.out. Progress goes to
/// standard error. Throws: as RunTraining and the task's functions.
TrainResult Train(Task& task, TrainingConfig training);
/// The same on examples that the task has already.
TrainResult TrainOnExamples(Task& task, TrainingConfig training);

/// Writes settings and vocabularies. Throws: IoError.
void WriteSettings(Task& task, TrainingConfig& training, const OutFolder& out);

/// A model folder that was read.
struct LoadedTask {
  std::unique_ptr<Task> task;
  TrainingConfig training;
  Metadata metadata;  // of the weights: step, score
};
/// `dtype`: what products round their factors to, "f32", "bf16" or "int8", in
/// which matrices then take a quarter of the memory; "auto": as trained, or as
/// written by heed quantize.
/// Throws: IoError or FormatError that names the file that is missing, cut
/// short, damaged or of a newer version; ConfigError for a dtype that there is
/// no way back to.
LoadedTask ReadTask(const std::string& folder,
                    const std::string& dtype = "auto");

/// New limits of a run that goes on; the others stay.
struct RunLimits {
  std::optional<int> epochs = {};
  std::optional<int64_t> steps = {};
  std::optional<int> patience = {};
};

/// Continues the run of a folder from its last checkpoint, to the same weights
/// bit for bit as if it had not stopped (with the same number of threads) and
/// had these limits from its start; schedules that depend on the length of the
/// run follow the new one from here on.
/// Throws: as Train; FormatError if the examples have changed since.
TrainResult Resume(const std::string& folder, bool quiet,
                   const RunLimits& limits = {});

}  // namespace heed

#endif  // HEED_TASKS_TASK_H_
