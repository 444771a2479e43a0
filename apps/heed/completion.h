// What may stand at the end of a command line: for the shells' TAB key.
#ifndef HEED_APPS_HEED_COMPLETION_H_
#define HEED_APPS_HEED_COMPLETION_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/heed/description.h"

namespace heed {

/// A command line whose last word is not finished. It travels through the
/// arguments of a command, because these decide what options there are
/// (--task NAME --model NAME).
struct CommandLineToComplete {
  /// The finished words, without the next.
  std::vector<std::string> before;
  /// The option just before the last word, of which that may be the value.
  std::string option;
  std::string current;

  /// The last of the words is the one to complete; it may be empty.
  static CommandLineToComplete Of(std::vector<std::string> words);

  /// What the function of a command is called with, and back again; nothing if
  /// the arguments were meant for the command itself.
  std::vector<std::string> ToArguments() const;
  static std::optional<CommandLineToComplete> From(
      const std::vector<std::string>& arguments);
};

/// A candidate for the last word, and what it means.
using Candidate = std::pair<std::string, std::string>;

/// The answer that the scripts of the shells read. The first line says what
/// else may stand there: "words" nothing, "files" or "directories"; each other
/// line is a candidate that begins with `current`, a tab, what it means.
std::string CompletionAnswer(std::string_view kind,
                             const std::vector<Candidate>& candidates,
                             std::string_view current);

/// The answer for the arguments of a command.
std::string Completions(const CommandDescription& command,
                        const CommandLineToComplete& line);

}  // namespace heed

#endif  // HEED_APPS_HEED_COMPLETION_H_
