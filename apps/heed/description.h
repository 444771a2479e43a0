// Description of a command, from which --help, the manual page and shell
// completion are made.
#ifndef HEED_APPS_HEED_DESCRIPTION_H_
#define HEED_APPS_HEED_DESCRIPTION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// Option for a configuration file, which all commands have.
inline constexpr const char* kConfigOption = "--config";

/// A line in a list of options: "--epochs N" and its explanation.
struct OptionText {
  std::string usage;
  std::string explanation;
};

/// A group of options with a heading.
struct OptionSection {
  std::string title;
  std::vector<OptionText> options;
};

struct CommandDescription {
  std::string command;  ///< "train", "demo gallery"
  std::string purpose;
  /// Positional arguments; `key` is the name in the help. If the last one is a
  /// list, it takes one or more values.
  std::vector<Field> positionals;
  bool last_is_optional = false;
  FieldList options;
  std::vector<std::string> examples;
  /// Sub-commands, each with its own help; may be empty.
  OptionSection parts;
};

/// Usage after the command's name: "DIR [options]".
std::string ArgumentsUsage(const CommandDescription& command);
std::vector<OptionText> PositionalTexts(const CommandDescription& command);
/// All options by section: main options first, common options last.
std::vector<OptionSection> OptionSections(const CommandDescription& command);

/// Usage of an option: "--epochs N", "--[no-]reverse".
std::string Usage(const Field& field);
/// Negated main name of a flag: "--no-reverse" for --reverse.
std::string NegatedName(const Field& field);
/// All negated names of a flag; empty for other options.
std::vector<std::string> NegatedNames(const Field& field);
/// Name with dashes: --batch-size for --batch_size.
std::string WithDashes(std::string_view name);
/// True if the word is a name of the field's option, with dashes or
/// underscores. Negated names do not count.
bool HasOption(const Field& field, std::string_view word);
/// True if the word is an option of these fields that needs a value.
bool TakesValue(const std::vector<Field>& fields, std::string_view word);

/// Wraps text at 80 columns. All lines except the first begin with `indent`
/// spaces; the first one will be printed at this column.
std::string WrapWords(const std::string& text, size_t indent);

/// Output of --help.
std::string HelpText(const CommandDescription& command);

}  // namespace heed

#endif  // HEED_APPS_HEED_DESCRIPTION_H_
