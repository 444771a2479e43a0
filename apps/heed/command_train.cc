// heed train: from examples to a model folder.
#include <fmt/format.h>

#include <cstdio>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

void PrintResult(const TrainResult& result, const std::string& task,
                 const std::string& folder) {
  std::string line = fmt::format("trained {} steps in {}", result.step,
                                 HumanTime(result.seconds));
  if (result.validated) {
    line += fmt::format(
        "; best validation {} {:.4g} {}", result.metric, result.best,
        result.averaged ? "(averaged weights)"
                        : fmt::format("at step {}", result.best_step));
  }
  fmt::print(stderr, "{}\nmodel: {}\ntry it: heed {} {}\n", line, folder,
             task == "translate" ? "translate" : "predict", folder);
}

/// The model that is named, or that of the folder that training starts from.
std::string PeekModel(const Arguments& arguments) {
  std::string model = PeekOption(arguments, "model");
  const std::string folder = PeekOption(arguments, "pretrained");
  if (!model.empty() || folder.empty()) return model;
  return ReadModelSettings(folder).value("model", "");
}

/// What goes with --resume is read from its folder.
int ContinueRun(Options& options, const std::string& folder,
                const RunConfig& given) {
  for (const Field& field : options.fields().fields()) {
    const bool allowed =
        field.key == "resume" || field.key == "threads" || field.key == "quiet";
    if (!allowed && options.Given(field.key)) {
      throw ConfigError(
          fmt::format("--resume continues with the settings of {}; only "
                      "--threads and --quiet go with it, not {}",
                      folder, field.OptionName()));
    }
  }
  const auto settings = ReadModelSettings(folder);
  const ThreadLimit limit(
      options.Given("threads") ? given.threads : settings.value("threads", 0));
  PrintResult(Resume(folder, given.quiet), TaskOf(folder), folder);
  return 0;
}

}  // namespace

int RunTrain(const Arguments& arguments) {
  std::string task_name = PeekOption(arguments, "task");
  if (task_name.empty()) task_name = Tasks().front().name;
  const std::unique_ptr<Task> task = MakeTask(task_name);
  const std::string model = PeekModel(arguments);
  if (!model.empty()) task->ChooseModel(model);
  TrainingConfig training;
  task->SetDefaults(training);
  std::string resume;

  Options options("train",
                  "Trains a model on examples. What options there are "
                  "depends on --task and --model: heed train --task "
                  "NAME --model NAME --help.");
  FieldList& v = options.fields();
  v.Section("Task");
  v("task", task_name, OneOf(TaskNames()),
    "what the model is for (see heed list tasks)");
  v("resume", resume, Any{"DIR"},
    "continue the run of this folder from its last checkpoint; all else is "
    "read from there");
  task->Visit(v);
  training.Visit(v);
  options.Example(
      "heed train --model bahdanau --source train.en --target train.de "
      "--valid-source val.en --valid-target val.de --out model");
  options.Example(
      "heed train --model luong --score dot --tsv pairs.tsv --vocabulary words "
      "--epochs 5 --out model");
  options.Example("heed train --resume model");
  if (!options.Parse(arguments)) return 0;
  if (!resume.empty()) return ContinueRun(options, resume, training.run);
  const ThreadLimit limit(training.run.threads);
  PrintResult(Train(*task, training), task_name, training.run.out);
  return 0;
}

}  // namespace heed
