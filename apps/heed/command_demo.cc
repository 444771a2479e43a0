// heed demo: demonstrations, one per file in course/.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "apps/heed/command.h"
#include "apps/heed/commands.h"
#include "course/demos.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

std::vector<Command>& AllDemos() {
  static std::vector<Command> demos;
  return demos;
}

}  // namespace

const std::vector<Command>& Demos() { return AllDemos(); }

void SetDemos(std::vector<Command> demos) { AllDemos() = std::move(demos); }

int RunDemo(const Arguments& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) {
    return RunDemoDates(arguments);
  }
  const Command* demo = FindCommand(Demos(), arguments[0]);
  if (demo) return demo->run({arguments.begin() + 1, arguments.end()});
  if (Demos().empty()) {
    throw ConfigError("unknown demo '{}': {}", arguments[0], kWithoutCourse);
  }
  const std::vector<std::string> names = NamesOf(Demos());
  throw ConfigError("unknown demo '{}'{} (valid: {}, or none)", arguments[0],
                    DidYouMean(arguments[0], names), fmt::join(names, ", "));
}

}  // namespace heed
