// A sub-command and how it runs: errors become one line and an exit status.
#ifndef HEED_APPS_HEED_COMMAND_H_
#define HEED_APPS_HEED_COMMAND_H_

#include <functional>
#include <string_view>
#include <vector>

#include "apps/heed/options.h"

namespace heed {

/// Returns the exit status; throws what went wrong.
using CommandFunction = std::function<int(const Arguments& arguments)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  CommandFunction run;
  /// The commands of a command: heed demo gallery.
  const std::vector<Command>* parts = nullptr;
};

inline constexpr std::string_view kSummary =
    "trains, runs and explains attention models";

/// The sub-commands, in the order in which heed --help shows them.
const std::vector<Command>& Commands();
/// Adds a sub-command behind the one called `after`. Call it before Main.
void AddCommand(Command command, std::string_view after);
/// A command line of several lines, and what it does.
struct CommandExample {
  std::string line;
  std::string meaning;
};
const std::vector<CommandExample>& Examples();

/// The command or part of this name, or nullptr.
const Command* FindCommand(const std::vector<Command>& commands,
                           std::string_view name);
std::vector<std::string> NamesOf(const std::vector<Command>& commands);
/// For Options::Parts: "heed demo cost" and its summary.
std::vector<OptionText> PartsOf(std::string_view command,
                                const std::vector<Command>& parts);

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

/// Says "NAME: message" on standard error; returns the status.
int Fail(std::string_view message, int status);
/// Throws: IoError if standard output cannot be written.
void FlushOutput();

/// Runs and maps exceptions to "NAME: message" on standard error and to
/// kExitUsage for a wrong call or setting (ConfigError), kExitInterrupted after
/// Ctrl-C and kExitFailure for everything else, unwritable output included.
int RunCommand(const CommandFunction& run, const Arguments& arguments);

}  // namespace heed

#endif  // HEED_APPS_HEED_COMMAND_H_
