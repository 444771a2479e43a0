#include "apps/heed/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/program.h"
#include "apps/heed/tasks.h"
#include "heed/base/config.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

std::vector<Command>& AllCommands() {
  static std::vector<Command> commands = {
      {"demo", "learn to read dates and see the attention; needs no data",
       RunDemo, &Demos()},
      {"train", "train a model on examples of a task", RunTrain},
      {"translate", "translate standard input line by line", RunTranslate},
      {"predict", "predict for each input line", RunPredict},
      {"align", "align the words of sentence pairs", RunAlign},
      {"serve", "start an HTTP server with a web page", RunServe},
      {"evaluate", "measure models on examples with known answers",
       RunEvaluate},
      {"explain", "show attention, and what predictions depend on", RunExplain},
      {"quantize", "quantise a model to int8", RunQuantize},
      {"shortlist", "learn a lexical shortlist for faster translation",
       RunShortlist},
      {"distill", "make a small translation model from a large one",
       RunDistill},
      {"import", "import a model of Marian or Hugging Face", RunImport},
      {"export", "write a model for Hugging Face", RunExport},
      {"plot", "draw the learning curves of trainings", RunPlot},
      {"verify", "repeat a training, and compare it bit by bit", RunVerify},
      {"info", "describe a model folder", RunInfo},
      {"list", "list tasks, models and attentions", RunList},
      {"manual", "write the manual pages", RunManual},
      {"completion", "print a shell completion script", RunCompletion},
      {"help", "explain a command: heed help train", RunHelp},
  };
  return commands;
}

}  // namespace

const std::vector<Command>& Commands() { return AllCommands(); }

void AddCommand(Command command, std::string_view after) {
  std::vector<Command>& all = AllCommands();
  const auto before = std::ranges::find(all, after, &Command::name);
  all.insert(before == all.end() ? before : before + 1, std::move(command));
}

const std::vector<CommandExample>& Examples() {
  static const std::vector<CommandExample> examples = {
      {"heed demo",
       "learn to read dates in about a minute, and see the attention"},
      {"heed train --source train.de --target train.en \\\n"
       "           --valid-source valid.de --valid-target valid.en --out model",
       "train a translator on line-aligned text"},
      {"heed translate model < test.de > test.out", "translate line by line"},
      {"heed evaluate model --source test.de --target test.en",
       "BLEU, chrF and loss against references"},
  };
  return examples;
}

void PrintMainHelp() {
  std::string text =
      fmt::format("{} {}.\n\nUsage: heed COMMAND [options]\n\nCommands\n",
                  ProgramName(), kSummary);
  for (const Command& command : Commands()) {
    text += fmt::format("  {:<12}{}\n", command.name, command.summary);
  }
  text += "\nExamples\n";
  for (const CommandExample& example : Examples()) {
    std::string line = example.line;
    for (size_t i = line.find('\n'); i != std::string::npos;
         i = line.find('\n', i + 1)) {
      line.insert(i + 1, "  ");
    }
    text += fmt::format("  {}\n      {}\n", line, example.meaning);
  }
  text +=
      "\nheed help COMMAND (or heed COMMAND --help) explains a command; heed "
      "--version prints the version.\n";
  WriteOutput(AsCalled(text));
}

// Further arguments are passed to the command, because its help may depend on
// them: heed help train --task NAME.
int RunHelp(const Arguments& arguments) {
  if (!arguments.empty()) {
    if (const Command* command = FindCommand(Commands(), arguments[0])) {
      Arguments rest(arguments.begin() + 1, arguments.end());
      rest.emplace_back("--help");
      return command->run(rest);
    }
  }
  std::string name;
  Options options(
      "help",
      "Explains a command, as heed COMMAND --help does. Further options select "
      "the task and model: heed help train --task NAME --model NAME.");
  options.OptionalPositional("COMMAND", name, OneOf(NamesOf(Commands())),
                             "which command");
  options.Example("heed help train");
  options.Example("heed help train --task " + TaskNames().back());
  if (options.Parse(arguments)) PrintMainHelp();
  return 0;
}

}  // namespace heed
