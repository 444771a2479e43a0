// What a command takes, described once: --help, the manual page and the
// completion of the shell are made from it.
#ifndef HEED_APPS_HEED_DESCRIPTION_H_
#define HEED_APPS_HEED_DESCRIPTION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"

namespace heed {

/// Described for everything that Options parses itself.
inline constexpr const char* kConfigOption = "--config";

/// One line of a list of options: "--epochs N" and what it means.
struct OptionText {
  std::string usage;
  std::string explanation;
};

/// Options that stand together under a heading.
struct OptionSection {
  std::string title;
  std::vector<OptionText> options;
};

struct CommandDescription {
  std::string command;  ///< "train", "demo gallery"
  std::string purpose;
  /// Arguments without a name; `key` is what help calls them. The last one is
  /// given once or more if it is a list.
  std::vector<Field> positionals;
  bool last_is_optional = false;
  FieldList options;
  std::vector<std::string> examples;
  /// The commands of this command, each with a help of its own; may be empty.
  OptionSection parts;
};

/// "DIR [options]": what follows the name of the command.
std::string ArgumentsUsage(const CommandDescription& command);
std::vector<OptionText> PositionalTexts(const CommandDescription& command);
/// All options by section: the main ones first, those that every command has
/// at the end.
std::vector<OptionSection> OptionSections(const CommandDescription& command);

/// "--epochs N", "--[no-]reverse".
std::string Usage(const Field& field);
/// "--no-reverse" for --reverse.
std::string NegatedName(const Field& field);
/// The same of all its names; none if it is no flag.
std::vector<std::string> NegatedNames(const Field& field);
/// An option's name with dashes: --batch-size for --batch_size.
std::string WithDashes(std::string_view name);
/// Whether the word is a name of its option, not negated, with dashes or not.
bool HasOption(const Field& field, std::string_view word);
/// Whether the word is an option of these fields whose value follows.
bool TakesValue(const std::vector<Field>& fields, std::string_view word);

/// Breaks a line between words, for a terminal of 80 columns; all lines but the
/// first begin with `indent` blanks, where that one will stand, too.
std::string WrapWords(const std::string& text, size_t indent);

/// What --help prints.
std::string HelpText(const CommandDescription& command);

}  // namespace heed

#endif  // HEED_APPS_HEED_DESCRIPTION_H_
