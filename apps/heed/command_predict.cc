// heed predict: what a model of any task says of its input.
#include <iostream>

#include "apps/heed/commands.h"
#include "apps/heed/tasks.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"

namespace heed {

int RunPredict(const Arguments& arguments) {
  std::string folder;
  std::string task_name;
  std::string dtype = "auto";
  int threads = 0;
  // The options come from a task of the folder's kind; the model is read once
  // they are known to be right.
  const std::unique_ptr<Task> shown = PeekTask(arguments);
  const auto parse = [&](Task& task) {
    Options options("predict",
                    "Reads standard input, writes what the model says of it, "
                    "in order. What else can be chosen depends on the model's "
                    "task: heed predict DIR --help.");
    options.Positional("DIR", folder, "model folder");
    options.fields().Section("Task");
    options.fields()("task", task_name, OneOf(TaskNames()),
                     "show the options of this task (with --help)");
    task.VisitPredict(options.fields());
    options.fields().Section("Run");
    VisitDtype(options.fields(), dtype);
    options.fields()("threads", threads, Range(0, 1024),
                     "threads; 0: one per core");
    options.Example("heed predict tagger < words.txt > tags.txt");
    options.Example("echo 'what a film' | heed predict sentiment");
    return options.Parse(arguments);
  };
  if (!parse(*shown)) return 0;
  const ThreadLimit limit(threads);
  std::ios::sync_with_stdio(false);
  const LoadedTask loaded = ReadTask(folder, dtype);
  parse(*loaded.task);
  loaded.task->Predict({}, std::cin, std::cout);
  if (!std::cout.flush()) throw IoError("standard output: cannot be written");
  return 0;
}

}  // namespace heed
