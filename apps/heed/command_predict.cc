// heed predict: what a model of any task says of its input.
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"

namespace heed {

namespace {

struct PredictOptions {
  std::string folder;
  std::string task;
  InputOptions input;
  std::string output = "text";
  std::string dtype = "auto";
  int threads = 0;
};

Options OptionsFor(Task& task, PredictOptions& chosen) {
  Options options("predict",
                  "Predicts for each line of standard input, in order. The "
                  "options depend on the model's task: heed predict DIR "
                  "--help.");
  chosen.input = task.reading().defaults;
  options.ModelFolder(chosen.folder);
  FieldList& v = options.fields();
  v.Section("Task");
  v("task", chosen.task, OneOf(TaskNames()),
    "show the options of this task (with --help)");
  task.VisitPredict(v);
  chosen.input.Visit(v);
  v("output", chosen.output, OneOf{"text", "json"},
    "json: an object on each line, with all parts of the answer");
  v.Section("Run");
  VisitDtype(v, chosen.dtype);
  v("threads", chosen.threads, Range(0, 1024), "threads; 0: one per core");
  options.Example("heed predict tagger < words.txt > tags.txt");
  options.Example("echo 'what a film' | heed predict sentiment");
  options.SubjectIs(fmt::format("a model for task '{}'", task.name()));
  return options;
}

}  // namespace

int RunPredict(const Arguments& arguments) {
  PredictOptions chosen;
  // The options come from a task of the folder's kind; the model is read once
  // they are known to be right.
  const std::unique_ptr<Task> shown = PeekTask(arguments, [&](Task& task) {
    return OptionsFor(task, chosen).fields().fields();
  });
  if (!OptionsFor(*shown, chosen).Parse(arguments)) return 0;
  const ThreadLimit limit(chosen.threads);
  std::ios::sync_with_stdio(false);
  const LoadedTask loaded = ReadTask(chosen.folder, chosen.dtype);
  OptionsFor(*loaded.task, chosen).Parse(arguments);
  chosen.input.long_lines = loaded.task->reading().defaults.long_lines;
  PredictStream(*loaded.task, {}, std::cin, std::cout, chosen.input,
                chosen.output == "json");
  if (!std::cout.flush()) throw IoError("standard output: cannot be written");
  return 0;
}

}  // namespace heed
