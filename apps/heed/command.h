// Sub-commands and their execution: errors become one line and an exit status.
#ifndef HEED_APPS_HEED_COMMAND_H_
#define HEED_APPS_HEED_COMMAND_H_

#include <functional>
#include <string_view>
#include <vector>

#include "apps/heed/options.h"

namespace heed {

/// Runs a command. Returns the exit status; throws errors.
using CommandFunction = std::function<int(const Arguments& arguments)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  CommandFunction run;
  /// Sub-commands of the command (heed demo gallery); may be null.
  const std::vector<Command>* parts = nullptr;
};

inline constexpr std::string_view kSummary =
    "trains, runs and explains attention models";

/// The sub-commands, in the order of heed --help.
const std::vector<Command>& Commands();
/// Inserts a sub-command after the one named `after`. Call it before Main.
void AddCommand(Command command, std::string_view after);
/// An example of a command line, which may have several lines, with its effect.
struct CommandExample {
  std::string line;
  std::string meaning;
};
const std::vector<CommandExample>& Examples();

/// The command or sub-command with this name; nullptr if there is none.
const Command* FindCommand(const std::vector<Command>& commands,
                           std::string_view name);
std::vector<std::string> NamesOf(const std::vector<Command>& commands);
/// Arguments for Options::Parts: "heed demo cost" and its summary.
std::vector<OptionText> PartsOf(std::string_view command,
                                const std::vector<Command>& parts);

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

/// Prints "NAME: message" on standard error and returns `status`.
int Fail(std::string_view message, int status);
/// Throws: IoError if standard output cannot be written.
void FlushOutput();

/// Runs a command. Prints exceptions as "NAME: message" on standard error and
/// returns kExitUsage for wrong usage or settings (ConfigError),
/// kExitInterrupted after Ctrl-C, and kExitFailure for other errors, including
/// unwritable output.
int RunCommand(const CommandFunction& run, const Arguments& arguments);

}  // namespace heed

#endif  // HEED_APPS_HEED_COMMAND_H_
