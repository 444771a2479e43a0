// heed generate: synthetic data as files that tasks read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/program.h"
#include "course/data/generators.h"
#include "course/demos.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

int RunGenerator(Generator made, const Arguments& arguments) {
  std::string out = "heed-" + made.name;
  Options options("generate " + made.name,
                  fmt::format("Writes {}: files for heed train --task {}. "
                              "Equal options lead to equal files.",
                              made.summary, made.task));
  options.fields()("out", out, Any{"DIR"}, "folder for the files").Main();
  made.Visit(options.fields());
  options.Example(fmt::format("heed generate {} --count {} --seed 2 --out data",
                              made.name, made.sizes.train / 2));
  if (!options.Parse(arguments)) return 0;
  made.WriteTo(out);
  fmt::print("{}: {}\n{} train --task {}{} --out model\n{} evaluate model{}\n",
             out, made.Sizes(), ProgramName(), made.task,
             OptionsText(made.train, out), ProgramName(),
             OptionsText(made.evaluation, out));
  return 0;
}

}  // namespace

const std::vector<Command>& Generators() {
  static const std::vector<Generator> all = AllGenerators();
  static const std::vector<Command> commands = [] {
    std::vector<Command> made;
    for (const Generator& one : all) {
      made.push_back({one.name, one.summary, [&one](const Arguments& given) {
                        return RunGenerator(one, given);
                      }});
    }
    return made;
  }();
  return commands;
}

int RunGenerate(const Arguments& arguments) {
  if (!arguments.empty() && !arguments[0].starts_with('-')) {
    if (const Command* made = FindCommand(Generators(), arguments[0])) {
      return made->run({arguments.begin() + 1, arguments.end()});
    }
    const std::vector<std::string> names = NamesOf(Generators());
    throw ConfigError("there are no data called '{}'{} (valid: {})",
                      arguments[0], DidYouMean(arguments[0], names),
                      fmt::join(names, ", "));
  }
  Options options("generate",
                  "Generates synthetic data as files, to try a task without "
                  "your own data. The evidence for each answer is known, so "
                  "that you can compare it with what a model uses.");
  options.Parts("Data", PartsOf("generate", Generators()));
  options.Example("heed generate scenes --help");
  options.Example("heed generate scenes --count 20000 --seed 1 --out scenes");
  if (!options.Parse(arguments)) return 0;
  throw ConfigError("name the data: {}",
                    fmt::join(NamesOf(Generators()), ", "));
}

}  // namespace heed
