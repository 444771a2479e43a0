// heed train: trains a model folder from examples.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/heed/commands.h"
#include "apps/heed/processes.h"
#include "apps/heed/program.h"
#include "apps/heed/tasks.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

void PrintResult(const TrainResult& result, const std::string& task,
                 const std::string& folder) {
  std::string line =
      fmt::format("trained {} in {}", Counted(result.step, "step"),
                  HumanTime(result.seconds));
  if (result.validated) {
    line += fmt::format(
        "; best validation {} {:.4g} {}", result.metric, result.best,
        result.averaged ? "(averaged weights)"
                        : fmt::format("at step {}", result.best_step));
  }
  // A program that uses Heed as a library has no command line to go on with.
  if (HasMessageSink()) return PrintNote("{}\n", line);
  if (!result.longer.empty()) {
    line += fmt::format(
        "\nthe last validation was the best one, so longer training may help: "
        "{} train --resume {} {}",
        ProgramName(), folder, result.longer);
  }
  PrintNote("{}\nmodel: {}\ntry it: {} {} {}\n", line, folder, ProgramName(),
            TaskNamed(task).command, folder);
}

/// Sets the named model, or the settings of the pretrained model, because
/// further options depend on them.
void ChooseStart(const Arguments& arguments, TaskSettings& task) {
  const std::string model = PeekOption(arguments, "model");
  const std::string folder = PeekOption(arguments, "pretrained");
  const std::string resumed = PeekOption(arguments, "resume");
  // Reports a folder without a model before any wrong option.
  if (!resumed.empty()) ReadModelSettings(LatestRun(resumed));
  if (!model.empty()) task.ChooseModel(model);
  if (folder.empty()) return;
  const std::string theirs = ReadModelSettings(folder).value("model", "");
  if (TaskOf(folder) == task.task() && !model.empty() && model != theirs) {
    throw ConfigError(
        "--model {}: {} holds a model '{}', which training goes on with; leave "
        "--model out",
        model, folder, theirs);
  }
  TakeSettings(task, folder);
}

/// Throws: ConfigError for vocabulary options that contradict the pretrained
/// model's vocabulary.
void CheckVocabularyOptions(const TaskSettings& task, const FieldList& fields) {
  if (task.pretrained.empty() || TaskOf(task.pretrained) != task.task()) return;
  const auto theirs = ReadModelSettings(task.pretrained);
  for (const Field& field : fields.fields()) {
    if (field.section != "Vocabulary" || field.key == "bpe_dropout") continue;
    if (!theirs.contains(field.key) || theirs[field.key] == field.Value()) {
      continue;
    }
    throw ConfigError("{}: the vocabulary is that of {}", field.OptionName(),
                      task.pretrained);
  }
}

/// Resumes a run with the settings in its folder. Throws: ConfigError for other
/// options.
int ContinueRun(Options& options, const std::string& folder,
                const RunConfig& given) {
  const std::set<std::string> allowed = {"resume", "threads", "quiet",
                                         "epochs", "steps",   "patience"};
  for (const Field& field : options.fields().fields()) {
    if (!allowed.contains(field.key) && options.Given(field.key)) {
      throw ConfigError(
          "--resume continues with the settings of {}; only --epochs, --steps, "
          "--patience, --threads and --quiet go with it, not {}",
          folder, field.OptionName());
    }
  }
  RunLimits limits;
  if (options.Given("epochs")) limits.epochs = given.epochs;
  if (options.Given("steps")) limits.steps = given.steps;
  if (options.Given("patience")) limits.patience = given.patience;
  const auto settings = ReadModelSettings(LatestRun(folder));
  const int threads =
      options.Given("threads") ? given.threads : settings.value("threads", 0);
  return RunTogether(threads, [&](Processes& processes) {
    const TrainResult result = Resume(folder, given.quiet, limits, processes);
    if (processes.leads()) PrintResult(result, TaskOf(folder), folder);
    return 0;
  });
}

/// Starts or resumes a training. With `parsed`, only checks the options and
/// returns them there by key; null for --help.
int StartTraining(const Arguments& arguments,
                  nlohmann::ordered_json* parsed = nullptr) {
  std::string task_name = PeekOption(arguments, "task");
  if (task_name.empty()) task_name = Tasks().front().name;
  const TaskRow& row = TaskNamed(task_name);
  const std::unique_ptr<TaskSettings> task = row.settings();
  ChooseStart(arguments, *task);
  TrainingConfig training = TrainingDefaults(*task);
  std::string resume;

  Options options("train",
                  "Trains a model on examples. The options depend on --task "
                  "and --model: heed train --task NAME --model NAME --help.");
  FieldList& v = options.fields();
  v.Section("Task");
  v("task", task_name, OneOf(TaskNames()),
    "task of the model (see heed list tasks)")
      .Main();
  task->VisitAll(v);
  task->VisitTraining(v, training);
  v("resume", resume, Any{"DIR"},
    "resume the training in this folder from its last checkpoint, with its "
    "saved options; --epochs, --steps and --patience can prolong it")
      .Main();
  options.Excuse("resume");
  const std::string named = row.name == Tasks().front().name
                                ? ""
                                : fmt::format("--task {} ", row.name);
  for (const std::string& chosen : row.training) {
    options.Example(fmt::format("heed train {}{} --out model", named, chosen));
  }
  options.Example("heed train --resume model");
  options.Example("mpirun -n 4 heed train --resume model");
  if (!options.Parse(arguments)) return 0;
  if (!resume.empty()) {
    if (parsed != nullptr)
      throw ConfigError("--resume: only heed train has it");
    return ContinueRun(options, resume, training.run);
  }
  CheckVocabularyOptions(*task, v);
  FieldList chosen;
  task->VisitAll(chosen);
  task->VisitTraining(chosen, training);
  options.RefuseIdle(chosen);
  const bool limited = options.Given("epochs") || options.Given("steps");
  if (limited && !options.Given("min_steps")) training.run.min_steps = 0;
  if (parsed != nullptr) {
    *parsed = FieldsToJson(chosen.fields());
    task->Resolve();
    training.Resolve();
    return 0;
  }
  return RunTogether(training.run.threads, [&](Processes& processes) {
    const TrainResult result = Train(*task, training, processes);
    if (processes.leads()) PrintResult(result, task_name, training.run.out);
    return 0;
  });
}

}  // namespace

int RunTrain(const Arguments& arguments) {
  return SayOnce([&] { return StartTraining(arguments); });
}

nlohmann::ordered_json CheckTraining(const Arguments& arguments) {
  nlohmann::ordered_json parsed;
  StartTraining(arguments, &parsed);
  return parsed;
}

}  // namespace heed
