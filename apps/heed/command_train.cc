// heed train: from parallel text to a model folder.
#include <fmt/format.h>

#include <cstdio>

#include "apps/heed/commands.h"
#include "heed/base/errors.h"
#include "heed/base/threads.h"
#include "heed/train/progress.h"
#include "heed/train/trainer.h"

namespace heed {
namespace {

void PrintResult(const TrainResult& result, const TrainConfig& config) {
  std::string line = fmt::format("trained {} steps in {}", result.step,
                                 HumanTime(result.seconds));
  if (result.validated) {
    line += fmt::format(
        "; best validation {} {:.2f} {}", config.run.metric, result.best,
        result.averaged ? "(averaged weights)"
                        : fmt::format("at step {}", result.best_step));
  }
  fmt::print(stderr, "{}\nmodel: {}\ntry it: heed translate {}\n", line,
             config.run.out, config.run.out);
}

}  // namespace

int RunTrain(const Arguments& arguments) {
  TrainConfig config;
  std::string resume;
  Options options("train", "Trains a model on parallel text.");
  options.fields().Section("Resuming");
  options.fields()(
      "resume", resume, Any{"DIR"},
      "continue the run of this folder from its last checkpoint; all "
      "else is read from there");
  config.Visit(options.fields());
  options.Example(
      "heed train --model bahdanau --source train.en --target train.de "
      "--valid-source val.en --valid-target val.de --out model");
  options.Example(
      "heed train --model luong --score dot --tsv pairs.tsv --vocabulary words "
      "--epochs 5 --out model");
  options.Example("heed train --resume model");
  if (!options.Parse(arguments)) return 0;
  if (resume.empty()) {
    const ThreadLimit limit(config.run.threads);
    PrintResult(Train(config), config);
    return 0;
  }
  for (const Field& field : options.fields().fields()) {
    const bool allowed =
        field.key == "resume" || field.key == "threads" || field.key == "quiet";
    if (!allowed && options.Given(field.key)) {
      throw ConfigError(
          fmt::format("--resume continues with the settings of {}; only "
                      "--threads and --quiet go "
                      "with it, not {}",
                      resume, field.OptionName()));
    }
  }
  const TrainConfig saved = ReadModelConfig(resume).config;
  const ThreadLimit limit(options.Given("threads") ? config.run.threads
                                                   : saved.run.threads);
  config = saved;
  config.run.out = resume;
  PrintResult(Resume(resume, options.Given("quiet")), config);
  return 0;
}

}  // namespace heed
