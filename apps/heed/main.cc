// heed: trains, runs and explains attention models.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/commands.h"
#include "heed/base/config.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      {"demo", "learn to read dates and see the attention; needs no data",
       RunDemo},
      {"train", "train a model on examples of a task", RunTrain},
      {"translate", "translate standard input line by line", RunTranslate},
      {"predict", "what a model of any task says of standard input",
       RunPredict},
      {"serve", "models over HTTP: LibreTranslate's API, a page, metrics",
       RunServe},
      {"evaluate", "measure models on examples with known answers",
       RunEvaluate},
      {"quantize", "write a model with int8 matrices", RunQuantize},
      {"shortlist", "learn which words may translate which", RunShortlist},
      {"import", "read a model of Marian or Hugging Face", RunImport},
      {"export", "write a model for Hugging Face", RunExport},
      {"info", "describe a model folder", RunInfo},
      {"list", "the tasks, models and attentions there are", RunList},
      {"bench", "how fast this machine trains, attends and decodes", RunBench},
  };
  return commands;
}

void PrintHelp() {
  std::string text =
      "heed trains, runs and explains attention models.\n\n"
      "Usage: heed COMMAND [options]\n\nCommands\n";
  for (const Command& command : Commands()) {
    text += fmt::format("  {:<12}{}\n", command.name, command.summary);
  }
  text +=
      "\nExamples\n"
      "  heed demo\n"
      "      learn to read dates in about a minute, and see the attention\n"
      "  heed train --model bahdanau --source train.de --target train.en \\\n"
      "             --valid-source valid.de --valid-target valid.en --out "
      "model\n"
      "      train a translator on line-aligned text\n"
      "  heed translate model < test.de > test.out\n"
      "      translate line by line\n"
      "  heed evaluate model --source test.de --target test.en\n"
      "      BLEU, chrF and loss against references\n\n"
      "heed COMMAND --help explains a command; heed --version tells the "
      "version.\n";
  std::fputs(text.c_str(), stdout);
}

int RunMain(const Arguments& arguments) {
  const std::string name = arguments.empty() ? "--help" : arguments[0];
  if (name == "--help" || name == "-h") {
    PrintHelp();
    return 0;
  }
  if (name == "--version") {
    std::puts("heed " HEED_VERSION);
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : Commands()) {
    if (command.name == name) {
      return command.run({arguments.begin() + 1, arguments.end()});
    }
    names.emplace_back(command.name);
  }
  throw ConfigError(fmt::format("unknown command '{}'{} (valid: {})", name,
                                DidYouMean(name, names),
                                fmt::join(names, ", ")));
}

/// A file that is opened must not take the number of a standard stream that
/// was closed, or what is printed would go into it. Reading from the stream and
/// printing results to it still fail; what is told on standard error is lost.
void OccupyStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY) != fd)
      _exit(1);
  }
}

extern "C" void OnInterrupt(int) {
  constexpr char kMessage[] = "heed: interrupted\n";
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  _exit(kExitInterrupted);
}

}  // namespace
}  // namespace heed

int main(int argc, char** argv) {
  heed::OccupyStandardStreams();
  std::signal(SIGINT, heed::OnInterrupt);
  return heed::RunCommand(heed::RunMain, {argv + 1, argv + argc});
}
