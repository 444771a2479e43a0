#include "apps/heed/completion.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>

#include "apps/heed/options.h"
#include "heed/attention/catalogue.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view kRequest = "--help=complete:";
constexpr char kSeparator = '\x1F';

const Field* FindOption(const std::vector<Field>& fields,
                        std::string_view name) {
  for (const Field& field : fields) {
    if (HasOption(field, name)) return &field;
  }
  return nullptr;
}

// Text before a semicolon, so "epochs at most" of "epochs at most; 0: no
// limit". Returns text with quotes ("as 'a; b'") completely.
std::string FirstClause(const std::string& help) {
  const size_t end = help.find(';');
  return help.find('\'') < end ? help : help.substr(0, end);
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Kind of a value, from its placeholder in the help.
std::string_view PathsFor(std::string_view placeholder) {
  if (Contains(placeholder, "FILE")) return "files";
  if (Contains(placeholder, "DIR")) return "directories";
  return "words";
}

std::vector<Candidate> PartsFor(std::string_view placeholder) {
  static const std::map<std::string_view, std::string_view> kinds = {
      {"PART", ""},
      {"SCORE", "score"},
      {"MODIFIERS", "modifier"},
      {"MASK", "mask"},
      {"NORMALIZER", "normalizer"}};
  std::vector<Candidate> parts;
  const auto kind = kinds.find(placeholder);
  if (kind == kinds.end()) return parts;
  for (const CataloguePart& part : AttentionCatalogue()) {
    if (!kind->second.empty() && part.kind != kind->second) continue;
    parts.emplace_back(part.name, part.formula);
  }
  return parts;
}

// Candidates for the value of a field. `prefix`: text before the value in the
// same word.
std::string ValueAnswer(const Field& field, std::string_view placeholder,
                        std::string prefix, std::string_view current) {
  if (const auto* any = std::get_if<Any>(&field.constraint)) {
    placeholder = any->placeholder;
  }
  std::vector<Candidate> values = PartsFor(placeholder);
  if (const auto* one_of = std::get_if<OneOf>(&field.constraint)) {
    for (const std::string& choice : one_of->choices) {
      values.emplace_back(choice, "");
    }
  }
  const size_t comma = current.rfind(',');
  if (field.IsList() && comma != std::string_view::npos &&
      comma >= prefix.size()) {
    prefix = current.substr(0, comma + 1);
  }
  for (Candidate& value : values) value.first.insert(0, prefix);
  return CompletionAnswer(PathsFor(placeholder), values, current);
}

// Candidates for option names. Aliases are only offered once a name is begun.
std::vector<Candidate> OptionCandidates(const std::vector<Field>& fields,
                                        bool with_aliases) {
  std::vector<Candidate> candidates;
  for (const Field& field : fields) {
    candidates.emplace_back(field.OptionName(), FirstClause(field.help));
    for (const std::string& name : field.OptionNames()) {
      if (with_aliases && name != field.OptionName()) {
        candidates.emplace_back(name, "the same as " + field.OptionName());
      }
    }
    if (!field.IsBool()) continue;
    candidates.emplace_back(NegatedName(field), "not " + field.OptionName());
  }
  candidates.emplace_back(kConfigOption, "options by key");
  candidates.emplace_back("--help", "print the help");
  return candidates;
}

}  // namespace

CommandLineToComplete CommandLineToComplete::Of(Strings words) {
  CommandLineToComplete line;
  if (words.empty()) return line;
  line.current = std::move(words.back());
  words.pop_back();
  if (!words.empty() && words.back().starts_with('-') &&
      !Contains(words.back(), "=")) {
    line.option = std::move(words.back());
    words.pop_back();
  }
  line.before = std::move(words);
  return line;
}

Strings CommandLineToComplete::ToArguments() const {
  Strings arguments = before;
  arguments.push_back(
      fmt::format("{}{}{}{}", kRequest, option, kSeparator, current));
  return arguments;
}

std::optional<CommandLineToComplete> CommandLineToComplete::From(
    const Strings& arguments) {
  if (arguments.empty() || !arguments.back().starts_with(kRequest)) return {};
  const std::string words = arguments.back().substr(kRequest.size());
  const size_t separator = words.find(kSeparator);
  if (separator == std::string::npos) return {};
  CommandLineToComplete line;
  line.before = {arguments.begin(), arguments.end() - 1};
  line.option = words.substr(0, separator);
  line.current = words.substr(separator + 1);
  return line;
}

std::string CompletionAnswer(std::string_view kind,
                             const std::vector<Candidate>& candidates,
                             std::string_view current) {
  std::string text = fmt::format("{}\n", kind);
  for (const auto& [word, meaning] : candidates) {
    if (!word.starts_with(current)) continue;
    text += fmt::format("{}\t{}\n", word, meaning);
  }
  return text;
}

std::string Completions(const CommandDescription& command,
                        const CommandLineToComplete& line) {
  const std::vector<Field>& fields = command.options.fields();
  if (line.option == kConfigOption) {
    return CompletionAnswer("files", {}, line.current);
  }
  const Field* before = FindOption(fields, line.option);
  if (before && !before->IsBool()) {
    return ValueAnswer(*before, "", "", line.current);
  }
  const size_t equals = line.current.find('=');
  if (line.current.starts_with('-') && equals != std::string::npos) {
    const std::string name = line.current.substr(0, equals);
    const std::string prefix = line.current.substr(0, equals + 1);
    if (name == kConfigOption) return CompletionAnswer("files", {}, prefix);
    if (const Field* field = FindOption(fields, name)) {
      return ValueAnswer(*field, "", prefix, line.current);
    }
  }
  const std::vector<Field>& positionals = command.positionals;
  const size_t given = PositionalsIn(line.before, fields).size();
  const bool last_is_list = !positionals.empty() && positionals.back().IsList();
  if (!line.current.starts_with('-') &&
      (given < positionals.size() || last_is_list)) {
    const Field& next =
        given < positionals.size() ? positionals[given] : positionals.back();
    return ValueAnswer(next, next.key, "", line.current);
  }
  const bool begun = line.current.size() > std::string_view("--").size();
  return CompletionAnswer("words", OptionCandidates(fields, begun),
                          line.current);
}

}  // namespace heed
