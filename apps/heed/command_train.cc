// heed train: from examples to a model folder.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <thread>

#include "apps/heed/commands.h"
#include "apps/heed/program.h"
#include "apps/heed/tasks.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/train/mpi.h"
#include "heed/train/processes.h"
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
  fmt::print(stderr, "{}\nmodel: {}\ntry it: {} {} {}\n", line, folder,
             ProgramName(), TaskNamed(task).command, folder);
}

/// One per core, of which each process of this machine has its part.
int ThreadsOf(int given, const Processes& processes) {
  if (given > 0 || processes.alone()) return given;
  return std::max(
      1, std::min(ThreadCount(), CoreCount() / processes.on_this_host()));
}

/// Trains in this process, or as one of those that a launcher started: the
/// leading one speaks for all.
int RunWith(int threads, const std::string& folder,
            const std::function<TrainResult(Processes&)>& train) {
  std::optional<Processes> several;
  std::optional<Processes> alone;
  Processes& processes =
      LaunchedWithOthers() ? several.emplace(OpenMpi) : alone.emplace();
  try {
    processes.CheckSame("programs", HEED_VERSION);
    const ThreadLimit limit(ThreadsOf(threads, processes));
    const TrainResult result = train(processes);
    processes.Finish();
    if (processes.leads()) PrintResult(result, TaskOf(folder), folder);
    return 0;
  } catch (const Interrupted&) {
    processes.Finish();
    if (processes.leads()) throw;
    return kExitInterrupted;
  } catch (const std::exception& error) {
    processes.Fail(error.what());
    if (processes.speaks()) throw;
    processes.AwaitEnd();
    return kExitFailure;
  }
}

/// Sets the model that is named, or the settings of the one that training
/// starts from: what further options there are depends on them.
void ChooseStart(const Arguments& arguments, TaskSettings& task) {
  const std::string model = PeekOption(arguments, "model");
  const std::string folder = PeekOption(arguments, "pretrained");
  const std::string resumed = PeekOption(arguments, "resume");
  // A folder that holds no model is named before any option.
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

/// Throws: ConfigError for an option that asks for another vocabulary than the
/// one that there is already.
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

/// What goes with --resume is read from its folder.
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
  return RunWith(threads, folder, [&](Processes& processes) {
    return Resume(folder, given.quiet, limits, processes);
  });
}

/// What there is to say before there are processes is said by the first alone.
int Start(const Arguments& arguments) {
  std::string task_name = PeekOption(arguments, "task");
  if (task_name.empty()) task_name = Tasks().front().name;
  const std::unique_ptr<TaskSettings> task = TaskNamed(task_name).settings();
  ChooseStart(arguments, *task);
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
    "what the model is for (see heed list tasks)")
      .Main();
  task->VisitAll(v);
  training.Visit(v);
  v("resume", resume, Any{"DIR"},
    "continue the run of this folder from its last checkpoint; all else is "
    "read from there, but for --epochs, --steps and --patience, which prolong "
    "it")
      .Main();
  options.Excuse("resume");
  options.Example(
      "heed train --source train.en --target train.de "
      "--valid-source val.en --valid-target val.de --out model");
  options.Example(
      "heed train --score dot --tsv pairs.tsv --vocabulary words "
      "--epochs 5 --out model");
  options.Example("heed train --resume model");
  if (!options.Parse(arguments)) return 0;
  if (!resume.empty()) return ContinueRun(options, resume, training.run);
  CheckVocabularyOptions(*task, v);
  return RunWith(
      training.run.threads, training.run.out,
      [&](Processes& processes) { return Train(*task, training, processes); });
}

}  // namespace

int RunTrain(const Arguments& arguments) {
  if (RankByLauncher() == 0) return Start(arguments);
  try {
    return Start(arguments);
  } catch (const ProcessError&) {
    throw;
  } catch (const std::exception&) {
    // A launcher ends all with the first that ends.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return kExitFailure;
  }
}

}  // namespace heed
