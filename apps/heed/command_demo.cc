// heed demo: demonstrations, each a file of demos/.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/heed/command.h"
#include "apps/heed/commands.h"
#include "demos/demos.h"
#include "heed/base/errors.h"

namespace heed {

int RunDemo(const Arguments& arguments) {
  if (arguments.empty() || arguments[0].starts_with('-')) {
    return RunDemoDates(arguments);
  }
  const Command* demo = FindCommand(Demos(), arguments[0]);
  if (demo) return demo->run({arguments.begin() + 1, arguments.end()});
  const std::vector<std::string> names = NamesOf(Demos());
  throw ConfigError("unknown demo '{}'{} (valid: {}, or none)", arguments[0],
                    DidYouMean(arguments[0], names), fmt::join(names, ", "));
}

}  // namespace heed
