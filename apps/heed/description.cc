#include "apps/heed/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

namespace heed {
namespace {

using Strings = std::vector<std::string>;

constexpr size_t kHelpColumn = 28;
constexpr size_t kHelpWidth = 79;

// Help of a field with choices, range and default.
std::string ExplainField(const Field& field) {
  std::string text = field.help;
  if (const auto* one_of = std::get_if<OneOf>(&field.constraint)) {
    text += fmt::format(": {}", fmt::join(one_of->choices, ", "));
  }
  const nlohmann::ordered_json value = field.Value();
  std::string shown = value.dump();
  if (value.is_boolean()) shown = value.get<bool>() ? "yes" : "no";
  if (value.is_string()) shown = value.get<std::string>();
  if (value.is_array()) {
    shown = fmt::format("{}", fmt::join(value.get<Strings>(), ","));
  }
  Strings notes;
  if (!field.aliases.empty()) {
    const Strings names = field.OptionNames();
    notes.push_back(fmt::format(
        "also {}", fmt::join(names.begin() + 1, names.end(), ", ")));
  }
  if (!field.RangeName().empty()) notes.push_back(field.RangeName());
  if (!shown.empty()) notes.push_back("default " + shown);
  if (!notes.empty()) text += fmt::format(" ({})", fmt::join(notes, "; "));
  return text;
}

std::string HelpLine(const OptionText& option) {
  std::string line = "  " + option.usage;
  if (line.size() + 2 > kHelpColumn) {
    line += "\n" + std::string(kHelpColumn, ' ');
  } else {
    line.resize(kHelpColumn, ' ');
  }
  return line + WrapWords(option.explanation, kHelpColumn) + "\n";
}

}  // namespace

std::string WrapWords(const std::string& text, size_t indent) {
  std::string result;
  size_t column = indent;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const size_t length = end - begin;
    if (column > indent && column + 1 + length > kHelpWidth) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += text.substr(begin, length);
    column += length;
    begin = end + 1;
  }
  return result;
}

std::string NegatedName(const Field& field) {
  return NegatedNames(field).front();
}

Strings NegatedNames(const Field& field) {
  Strings names;
  if (!field.IsBool()) return names;
  for (const std::string& name : field.OptionNames()) {
    names.push_back("--no-" + name.substr(2));
  }
  return names;
}

std::string WithDashes(std::string_view name) {
  std::string dashed(name);
  if (name.starts_with("--")) {
    std::ranges::replace(dashed, '_', '-');
  }
  return dashed;
}

bool HasOption(const Field& field, std::string_view word) {
  const Strings names = field.OptionNames();
  return std::ranges::find(names, WithDashes(word)) != names.end();
}

bool TakesValue(const std::vector<Field>& fields, std::string_view word) {
  return word == kConfigOption ||
         std::ranges::any_of(fields, [&](const Field& field) {
           return !field.IsBool() && HasOption(field, word);
         });
}

std::string Usage(const Field& field) {
  const std::string name = field.OptionName();
  if (field.IsBool()) return "--[no-]" + name.substr(2);
  if (const auto* any = std::get_if<Any>(&field.constraint)) {
    return name + " " + any->placeholder;
  }
  const std::string type = field.TypeName();
  if (type == "int") return name + " N";
  if (type == "number") return name + " X";
  if (std::holds_alternative<OneOf>(field.constraint)) return name + " NAME";
  return name + " TEXT";
}

std::string ArgumentsUsage(const CommandDescription& command) {
  std::string text;
  for (const Field& positional : command.positionals) {
    text += positional.key + (positional.IsList() ? "... " : " ");
  }
  if (command.last_is_optional) {
    const Field& last = command.positionals.back();
    text = fmt::format("[{}{}] ", last.key, last.IsList() ? "..." : "");
  }
  return text + "[options]";
}

std::vector<OptionText> PositionalTexts(const CommandDescription& command) {
  std::vector<OptionText> texts;
  for (const Field& positional : command.positionals) {
    std::string text = positional.help;
    if (const auto* one_of = std::get_if<OneOf>(&positional.constraint)) {
      text += fmt::format(": {}", fmt::join(one_of->choices, ", "));
    }
    texts.push_back({positional.key, text});
  }
  return texts;
}

std::vector<OptionSection> OptionSections(const CommandDescription& command) {
  std::vector<OptionSection> sections;
  OptionSection main = {"Main options", {}};
  for (const Field& field : command.options.fields()) {
    if (field.main) main.options.push_back({Usage(field), ExplainField(field)});
  }
  if (!main.options.empty()) sections.push_back(std::move(main));
  for (const Field& field : command.options.fields()) {
    if (field.main) continue;
    const std::string title = field.section.empty() ? "Options" : field.section;
    if (sections.empty() || sections.back().title != title) {
      sections.push_back({title, {}});
    }
    sections.back().options.push_back({Usage(field), ExplainField(field)});
  }
  sections.push_back({"General",
                      {{fmt::format("{} FILE.json", kConfigOption),
                        "read options by key, as in a model's config.json; the "
                        "command line takes precedence"},
                       {"-h, --help", "print this help"}}});
  return sections;
}

std::string HelpText(const CommandDescription& command) {
  std::string text =
      fmt::format("{}\n\nUsage: heed {} {}\n", WrapWords(command.purpose, 0),
                  command.command, ArgumentsUsage(command));
  if (!command.positionals.empty()) text += "\n";
  for (const OptionText& line : PositionalTexts(command)) {
    text += HelpLine(line);
  }
  if (!command.parts.options.empty()) {
    text += fmt::format("\n{}\n", command.parts.title);
  }
  for (const OptionText& part : command.parts.options) text += HelpLine(part);
  if (!command.examples.empty()) text += "\nExamples\n";
  for (const std::string& example : command.examples) {
    text += "  " + example + "\n";
  }
  for (const OptionSection& section : OptionSections(command)) {
    text += fmt::format("\n{}\n", section.title);
    for (const OptionText& option : section.options) text += HelpLine(option);
  }
  return text;
}

}  // namespace heed
