// Shell completion (TAB key) of command lines.
#ifndef HEED_APPS_HEED_COMPLETION_H_
#define HEED_APPS_HEED_COMPLETION_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/heed/description.h"

namespace heed {

/// A command line with an incomplete last word. It is passed in a command's
/// arguments, because these determine the options (--task NAME --model NAME).
struct CommandLineToComplete {
  /// Complete words, without `option`.
  std::vector<std::string> before;
  /// Option before the last word, which may be its value.
  std::string option;
  std::string current;

  /// Splits words, of which the last one is incomplete and may be empty.
  static CommandLineToComplete Of(std::vector<std::string> words);

  /// Converts to arguments of a command, and back. From returns nullopt if the
  /// arguments are no completion request.
  std::vector<std::string> ToArguments() const;
  static std::optional<CommandLineToComplete> From(
      const std::vector<std::string>& arguments);
};

/// A candidate for the last word, and its meaning.
using Candidate = std::pair<std::string, std::string>;

/// Formats candidates for the shell scripts. The first line tells whether files
/// may follow: "words" (none), "files" or "directories". Each other line is a
/// candidate that begins with `current`, a tab, and its meaning.
std::string CompletionAnswer(std::string_view kind,
                             const std::vector<Candidate>& candidates,
                             std::string_view current);

/// Candidates for the last word of a command line.
std::string Completions(const CommandDescription& command,
                        const CommandLineToComplete& line);

}  // namespace heed

#endif  // HEED_APPS_HEED_COMPLETION_H_
