#include "apps/heed/commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/main.h"
#include "apps/heed/program.h"
#include "apps/heed/tasks.h"
#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/kernels/instructions.h"

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

namespace {

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
  std::fputs(AsCalled(text).c_str(), stdout);
}

}  // namespace

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

namespace {

/// Limits instruction sets: HEED_INSTRUCTIONS=AVX2 computes as on a processor
/// without AVX-512.
void ObeyEnvironment() {
  const char* set = std::getenv("HEED_INSTRUCTIONS");
  if (set == nullptr || *set == '\0') return;
  try {
    kernels::LimitInstructions(set);
  } catch (const ConfigError& error) {
    throw ConfigError("HEED_INSTRUCTIONS: {}", error.what());
  }
}

int RunMain(const Arguments& arguments) {
  ObeyEnvironment();
  const std::string name = arguments.empty() ? "--help" : arguments[0];
  if (name == "--help" || name == "-h") {
    PrintMainHelp();
    return 0;
  }
  if (name == "--version") {
    std::puts("heed " HEED_VERSION);
    return 0;
  }
  const Arguments rest(
      arguments.empty() ? arguments.end() : arguments.begin() + 1,
      arguments.end());
  if (name == "__complete") return RunComplete(rest);
  if (const Command* command = FindCommand(Commands(), name)) {
    return command->run(rest);
  }
  if (Demos().empty() &&
      (name == "generate" || name == "learn" || name == "bench")) {
    throw ConfigError("unknown command '{}': {}", name, kWithoutCourse);
  }
  const std::vector<std::string> names = NamesOf(Commands());
  throw ConfigError("unknown command '{}'{} (valid: {})", name,
                    DidYouMean(name, names), fmt::join(names, ", "));
}

/// Opens /dev/null for closed standard streams. Otherwise the next opened file
/// would get the number of such a stream, and output would go into that file.
/// Reading standard input and writing standard output still fail; standard
/// error is discarded.
void OccupyStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) != fd)
      _exit(1);
  }
}

extern "C" void OnInterrupt(int) {
  for (const std::string_view part : {ProgramName(), {": interrupted\n"}}) {
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, part.data(), part.size());
  }
  _exit(kExitInterrupted);
}

}  // namespace

int Main(int argc, char** argv) {
  OccupyStandardStreams();
  std::signal(SIGINT, OnInterrupt);
  return RunCommand(RunMain, {argv + 1, argv + argc});
}

}  // namespace heed
