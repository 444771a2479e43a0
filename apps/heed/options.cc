#include "apps/heed/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/base/errors.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kConfigOption = "--config";
constexpr size_t kHelpColumn = 28;
constexpr size_t kHelpWidth = 79;

std::string NegatedName(const Field& field) {
  return "--no-" + field.OptionName().substr(2);
}

// The flag and what to write after it: "--epochs N", "--[no-]reverse".
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

// The help with choices, range and default.
std::string Explanation(const Field& field) {
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
  if (!field.RangeName().empty()) notes.push_back(field.RangeName());
  if (!shown.empty()) notes.push_back("default " + shown);
  if (!notes.empty()) text += fmt::format(" ({})", fmt::join(notes, "; "));
  return text;
}

// Breaks `text` between words so that lines end before kHelpWidth.
std::string Wrap(const std::string& text, size_t indent) {
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

std::string HelpLine(const std::string& usage, const std::string& explanation) {
  std::string line = "  " + usage;
  if (line.size() + 2 > kHelpColumn) {
    line += "\n" + std::string(kHelpColumn, ' ');
  } else {
    line.resize(kHelpColumn, ' ');
  }
  return line + Wrap(explanation, kHelpColumn) + "\n";
}

// "a,b" and "c" as a, b, c.
Strings SplitAtCommas(const Strings& words) {
  Strings items;
  for (const std::string& word : words) {
    size_t begin = 0;
    while (begin <= word.size()) {
      const size_t end = std::min(word.find(',', begin), word.size());
      if (end > begin) items.push_back(word.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return items;
}

nlohmann::ordered_json ReadJsonFile(const std::string& path) {
  return ParseJson(ReadFile(path), path);
}

// The value of the last `name VALUE` or `name=VALUE`, or "".
std::string LastValue(const Arguments& arguments, const std::string& name) {
  std::string value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == name && i + 1 < arguments.size()) {
      value = arguments[i + 1];
    } else if (arguments[i].rfind(name + "=", 0) == 0) {
      value = arguments[i].substr(name.size() + 1);
    }
  }
  return value;
}

CLI::Option* AddValue(CLI::App& app, const std::string& name) {
  const auto accept = [](const CLI::results_t&) { return true; };
  return app.add_option(name, accept)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* AddField(CLI::App& app, const Field& field) {
  if (!field.IsBool()) return AddValue(app, field.OptionName());
  return app.add_flag(field.OptionName() + ",!" + NegatedName(field))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

Strings WordsFor(const Field& field, const Strings& results) {
  if (field.IsList()) return SplitAtCommas(results);
  return {results.back()};
}

}  // namespace

void Options::Positional(std::string name, std::string& value,
                         std::string help) {
  positionals_.push_back({std::move(name), std::move(help), &value, nullptr});
}

void Options::Positionals(std::string name, Strings& values, std::string help) {
  positionals_.push_back({std::move(name), std::move(help), nullptr, &values});
}

bool Options::Parse(const Arguments& arguments) {
  CLI::App app;
  app.set_help_flag("-h,--help");
  app.allow_extras();
  const CLI::Option* config = AddValue(app, kConfigOption);
  std::vector<const CLI::Option*> options;
  for (const Field& field : fields_.fields()) {
    options.push_back(AddField(app, field));
  }
  std::vector<const CLI::Option*> positionals;
  for (const PositionalArgument& positional : positionals_) {
    positionals.push_back(
        AddValue(app, positional.name)
            ->allow_extra_args(positional.targets != nullptr));
  }

  Arguments words = SplitAtEquals(arguments);
  std::reverse(words.begin(), words.end());  // the order that CLI11 takes
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    std::fputs(Help().c_str(), stdout);
    return false;
  } catch (const CLI::ArgumentMismatch&) {
    throw ConfigError(fmt::format("{} needs a value (see heed {} --help)",
                                  arguments.back(), command_));
  } catch (const CLI::ParseError& error) {
    throw ConfigError(
        fmt::format("{} (see heed {} --help)", error.what(), command_));
  }
  RefuseUnknown(app.remaining());

  if (config->count() > 0) ApplyConfigFile(config->results().back());
  for (size_t i = 0; i < options.size(); ++i) {
    const Field& field = fields_.fields()[i];
    if (options[i]->count() == 0) continue;
    field.SetText(WordsFor(field, options[i]->results()), field.OptionName());
    given_.insert(field.key);
  }
  for (size_t i = 0; i < positionals.size(); ++i) {
    SetPositional(positionals_[i], positionals[i]->results());
  }
  return true;
}

void Options::Require(const std::string& key) const {
  if (Given(key)) return;
  for (const Field& field : fields_.fields()) {
    if (field.key != key) continue;
    throw ConfigError(fmt::format("{} is missing: {} (see heed {} --help)",
                                  Usage(field), field.help, command_));
  }
}

// CLI11 would take the next word as the value of "--name=".
Arguments Options::SplitAtEquals(const Arguments& arguments) const {
  Arguments words;
  for (const std::string& argument : arguments) {
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals);
    bool takes_value = name == kConfigOption;
    for (const Field& field : fields_.fields()) {
      takes_value |= !field.IsBool() && field.OptionName() == name;
    }
    if (takes_value && equals < argument.size()) {
      words.push_back(name);
      words.push_back(argument.substr(equals + 1));
    } else {
      words.push_back(argument);
    }
  }
  return words;
}

void Options::RefuseUnknown(const Arguments& remaining) const {
  const auto first =
      std::find_if(remaining.begin(), remaining.end(),
                   [](const std::string& word) { return word != "--"; });
  if (first == remaining.end()) return;
  const std::string word = first->substr(0, first->find('='));
  if (word.rfind('-', 0) != 0) {
    throw ConfigError(fmt::format(
        "unexpected argument '{}' (see heed {} --help)", word, command_));
  }
  Strings valid;
  Strings meant = {kConfigOption, "--help"};
  for (const Field& field : fields_.fields()) {
    valid.push_back(field.OptionName());
    meant.push_back(field.OptionName());
    if (field.IsBool()) meant.push_back(NegatedName(field));
  }
  valid.insert(valid.end(), {kConfigOption, "--help"});
  throw ConfigError(fmt::format("unknown option '{}'{} (valid: {})", word,
                                DidYouMean(word, meant),
                                fmt::join(valid, " ")));
}

void Options::ApplyConfigFile(const std::string& path) {
  nlohmann::ordered_json json = ReadJsonFile(path);
  // A model's config.json serves too: "heed" holds its version and check sums.
  if (json.is_object()) json.erase("heed");
  FieldsFromJson(fields_.fields(), json, path);
  for (const auto& item : json.items()) given_.insert(item.key());
}

void Options::SetPositional(const PositionalArgument& positional,
                            const Strings& values) const {
  if (values.empty()) {
    throw ConfigError(fmt::format("{} is missing: {} (see heed {} --help)",
                                  positional.name, positional.help, command_));
  }
  if (positional.target) *positional.target = values[0];
  if (positional.targets) *positional.targets = values;
}

std::string Options::Help() const {
  std::string text =
      fmt::format("{}\n\nUsage: heed {}", Wrap(purpose_, 0), command_);
  for (const PositionalArgument& positional : positionals_) {
    text += " " + positional.name + (positional.targets ? "..." : "");
  }
  text += " [options]\n";
  if (!positionals_.empty()) text += "\n";
  for (const PositionalArgument& positional : positionals_) {
    text += HelpLine(positional.name, positional.help);
  }
  if (!examples_.empty()) text += "\nExamples\n";
  for (const std::string& example : examples_) text += "  " + example + "\n";

  const std::string* section = nullptr;
  for (const Field& field : fields_.fields()) {
    if (!section || *section != field.section) {
      section = &field.section;
      text += fmt::format("\n{}\n", section->empty() ? "Options" : *section);
    }
    text += HelpLine(Usage(field), Explanation(field));
  }
  text += "\nGeneral\n";
  text +=
      HelpLine("--config FILE.json",
               "options by key, as in a model's config.json; options on the "
               "command line win");
  text += HelpLine("-h, --help", "print this help");
  return text;
}

std::string PeekOption(const Arguments& arguments, const std::string& key) {
  std::string option = "--" + key;
  std::replace(option.begin(), option.end(), '_', '-');
  std::string value = LastValue(arguments, option);
  const std::string path = LastValue(arguments, kConfigOption);
  if (!value.empty() || path.empty()) return value;
  const nlohmann::ordered_json json = ReadJsonFile(path);
  const bool given =
      json.is_object() && json.contains(key) && json[key].is_string();
  return given ? json[key].get<std::string>() : "";
}

}  // namespace heed
