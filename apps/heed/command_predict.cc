// heed predict: predictions of a model of any task.
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
  RunOptions run;
};

Options OptionsFor(const TaskSettings& task, OptionSet& prediction,
                   PredictOptions& chosen) {
  Options options("predict",
                  "Predicts for each line of standard input, in order. The "
                  "options depend on the model's task: heed predict DIR "
                  "--help.");
  chosen.input = task.Reading(prediction).defaults;
  options.ModelFolder(chosen.folder);
  FieldList& v = options.fields();
  v.Section("Task");
  v("task", chosen.task, OneOf(TaskNames()),
    "show the options of this task (with --help)");
  prediction.Visit(v);
  chosen.input.Visit(v);
  v("output", chosen.output, OneOf{"text", "json"},
    "json: an object on each line, with all parts of the answer");
  v.Section("Run");
  chosen.run.Visit(v);
  options.Example("heed predict tagger < words.txt > tags.txt");
  options.Example("echo 'what a film' | heed predict sentiment");
  options.SubjectIs(fmt::format("a model for task '{}'", task.task()));
  return options;
}

}  // namespace

int RunPredict(const Arguments& arguments) {
  PredictOptions chosen;
  // The folder's task determines the options. The model is only read after the
  // options were checked.
  std::unique_ptr<OptionSet> prediction;
  const auto shown = PeekTask(arguments, [&](TaskSettings& task) {
    prediction = task.PredictOptions();
    return OptionsFor(task, *prediction, chosen).fields().fields();
  });
  prediction = shown->PredictOptions();
  if (!OptionsFor(*shown, *prediction, chosen).Parse(arguments)) return 0;
  const ThreadLimit limit(chosen.run.threads);
  std::ios::sync_with_stdio(false);
  const LoadedModel loaded =
      ReadModelToRun(chosen.folder, chosen.run.dtype, chosen.run.activations);
  prediction = loaded.settings->PredictOptions();
  OptionsFor(*loaded.settings, *prediction, chosen).Parse(arguments);
  InputReading reading = loaded.settings->Reading(*prediction);
  chosen.input.long_lines = reading.defaults.long_lines;
  reading.defaults = chosen.input;
  PredictStream(*loaded.MakePredictor(*prediction), loaded.input(), reading,
                std::cin, std::cout, chosen.output == "json");
  if (!std::cout.flush()) throw IoError("standard output: cannot be written");
  return 0;
}

}  // namespace heed
