#include "apps/heed/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "apps/heed/completion.h"
#include "apps/heed/manual_page.h"
#include "apps/heed/program.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view kManualRequest = "--help=manual:";

// Splits at commas: "a,b" and "c" become a, b, c.
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

// Value of the last `name VALUE` or `name=VALUE`; "" if there is none.
std::string LastValue(const Arguments& arguments, const std::string& name) {
  std::string value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t equals = std::min(arguments[i].find('='), arguments[i].size());
    if (WithDashes(arguments[i].substr(0, equals)) != name) continue;
    if (equals < arguments[i].size()) {
      value = arguments[i].substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[i + 1];
    }
  }
  return value;
}

bool IsHelp(std::string_view word) {
  return word == "-h" || word.starts_with("--help");
}

CLI::Option* AddValue(CLI::App& app, const std::string& name) {
  const auto accept = [](const CLI::results_t&) { return true; };
  return app.add_option(name, accept)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::string NamesFor(const Field& field) {
  Strings names = field.OptionNames();
  if (field.IsBool()) {
    for (const std::string& name : NegatedNames(field)) {
      names.push_back("!" + name);
    }
  }
  return fmt::format("{}", fmt::join(names, ","));
}

CLI::Option* AddField(CLI::App& app, const Field& field) {
  if (!field.IsBool()) return AddValue(app, NamesFor(field));
  return app.add_flag(NamesFor(field))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

// True if the word is an option of the fields, also negated or with "=VALUE".
bool IsKnown(const std::vector<Field>& fields, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return IsHelp(word) || TakesValue(fields, name) ||
         std::ranges::any_of(fields, [&](const Field& field) {
           const Strings negated = NegatedNames(field);
           return HasOption(field, name) ||
                  std::ranges::find(negated, WithDashes(name)) != negated.end();
         });
}

bool NamesPaths(const Field& field) {
  const auto* any = std::get_if<Any>(&field.constraint);
  return any != nullptr &&
         (any->placeholder.find("FILE") != std::string::npos ||
          any->placeholder.find("DIR") != std::string::npos);
}

Strings WordsFor(const Field& field, const Strings& results) {
  if (field.IsList()) {
    Strings words;
    for (const std::string& result : results) {
      std::error_code ignored;
      if (NamesPaths(field) && std::filesystem::exists(result, ignored)) {
        words.push_back(result);
      } else {
        const Strings items = SplitAtCommas({result});
        words.insert(words.end(), items.begin(), items.end());
      }
    }
    return words;
  }
  for (const std::string& result : results) {
    if (result == results.front()) continue;
    if (field.IsBool()) {
      throw ConfigError("{} and {} contradict each other", field.OptionName(),
                        NegatedName(field));
    }
    throw ConfigError(
        "{} is given twice, as '{}' and as '{}'; it takes one value",
        field.OptionName(), results.front(), result);
  }
  return {results.back()};
}

// Returns ", did you mean --option VALUE?" for a value without its option; ""
// for other words.
std::string DidYouMeanOption(const std::vector<Field>& fields,
                             const std::string& word) {
  for (const Field& field : fields) {
    const auto* one_of = std::get_if<OneOf>(&field.constraint);
    if (one_of == nullptr ||
        std::ranges::find(one_of->choices, word) == one_of->choices.end()) {
      continue;
    }
    return fmt::format(", did you mean {} {}?", field.OptionName(), word);
  }
  return "";
}

// Alternatives as text: "--source FILE and --target FILE, or --tsv FILE".
std::string WaysText(const Requirement& ways,
                     const std::vector<Field>& fields) {
  Strings texts;
  for (const std::vector<std::string>& keys : ways) {
    Strings usages;
    for (const std::string& key : keys) {
      usages.push_back(Usage(*FindField(fields, key)));
    }
    texts.push_back(fmt::format("{}", fmt::join(usages, " and ")));
  }
  return fmt::format("{}", fmt::join(texts, ", or "));
}

}  // namespace

std::string ManualRequest(std::string_view path, std::string_view summary) {
  // The summary may have a colon, but has one line.
  return fmt::format("{}{}\n{}", kManualRequest, summary, path);
}

Options::Options(std::string command, std::string purpose) {
  description_.command = std::move(command);
  description_.purpose = std::move(purpose);
}

void Options::Positional(std::string name, std::string& value,
                         std::string help) {
  Positional(std::move(name), value, {}, std::move(help));
}

void Options::Positional(std::string name, std::string& value,
                         Constraint constraint, std::string help) {
  description_.positionals.push_back(
      {std::move(name), &value, std::move(constraint), std::move(help), ""});
}

void Options::OptionalPositional(std::string name, std::string& value,
                                 Constraint constraint, std::string help) {
  Positional(std::move(name), value, std::move(constraint), std::move(help));
  description_.last_is_optional = true;
}

void Options::Positionals(std::string name, Strings& values, std::string help) {
  description_.positionals.push_back(
      {std::move(name), &values, {}, std::move(help), ""});
}

void Options::OptionalPositionals(std::string name, Strings& values,
                                  std::string help) {
  Positionals(std::move(name), values, std::move(help));
  description_.last_is_optional = true;
}

void Options::ModelFolder(std::string& value, std::string help) {
  has_model_folders_ = true;
  Positional("DIR", value, std::move(help));
}

void Options::ModelFolders(Strings& values, std::string help) {
  has_model_folders_ = true;
  Positionals("DIR", values, std::move(help));
}

void Options::Example(std::string line) {
  description_.examples.push_back(std::move(line));
}

bool Options::WriteRequested(const Arguments& arguments) const {
  std::string text;
  std::string path;
  if (!arguments.empty() && arguments[0].starts_with(kManualRequest)) {
    const std::string request = arguments[0].substr(kManualRequest.size());
    const size_t end = std::min(request.find('\n'), request.size() - 1);
    text = ManualPage(description_, request.substr(0, end));
    path = request.substr(end + 1);
  } else if (const auto line = CommandLineToComplete::From(arguments)) {
    text = AsCalled(Completions(description_, *line));
  } else {
    return false;
  }
  if (path.empty()) {
    WriteOutput(text);
  } else {
    WriteFileAtomically(path, text);
  }
  return true;
}

bool Options::Parse(const Arguments& arguments) {
  if (WriteRequested(arguments)) return false;
  const std::vector<Field>& fields = description_.options.fields();
  CLI::App app;
  app.set_help_flag("-h,--help");
  app.allow_extras();
  const CLI::Option* config = AddValue(app, kConfigOption);
  std::vector<const CLI::Option*> options;
  for (const Field& field : fields) {
    options.push_back(AddField(app, field));
  }
  std::vector<const CLI::Option*> positionals;
  for (const Field& positional : description_.positionals) {
    positionals.push_back(
        AddValue(app, positional.key)->allow_extra_args(positional.IsList()));
  }

  Arguments words = InFullForm(arguments);
  std::ranges::reverse(words);  // CLI11 expects reverse order
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    WriteOutput(AsCalled(HelpText(description_)));
    return false;
  } catch (const CLI::ArgumentMismatch&) {
    throw ConfigError("{} needs a value (see heed {} --help)", arguments.back(),
                      description_.command);
  } catch (const CLI::ParseError& error) {
    throw ConfigError("{} (see heed {} --help)", error.what(),
                      description_.command);
  }
  CheckModelFolders(arguments);
  RefuseUnknown(app.remaining());

  for (const std::string& path : config->results()) ApplyConfigFile(path);
  for (size_t i = 0; i < options.size(); ++i) {
    const Field& field = fields[i];
    if (options[i]->count() == 0) continue;
    typed_[field.key] = field.Value().dump();
    field.SetText(WordsFor(field, options[i]->results()), field.OptionName());
    given_.insert(field.key);
  }
  Strings missing;
  for (size_t i = 0; i < positionals.size(); ++i) {
    const Field& positional = description_.positionals[i];
    const Strings& values = positionals[i]->results();
    if (!values.empty()) {
      positional.SetText(positional.IsList() ? values : Strings{values[0]},
                         positional.key);
    } else if (i + 1 < positionals.size() || !description_.last_is_optional) {
      missing.push_back(positional.key);
    }
  }
  RefuseMissing(missing);
  return true;
}

void Options::RefuseMissing(const Strings& positionals) const {
  const std::vector<Field>& fields = description_.options.fields();
  Strings texts;
  for (const Field& positional : description_.positionals) {
    if (std::ranges::find(positionals, positional.key) == positionals.end()) {
      continue;
    }
    texts.push_back(fmt::format("{} ({})", positional.key, positional.help));
  }
  const bool excused = !excuse_.empty() && Given(excuse_);
  for (const Requirement& ways : description_.options.requirements()) {
    if (excused || IsMet(ways, fields)) continue;
    texts.push_back(WaysText(ways, fields));
  }
  if (texts.empty()) return;
  throw ConfigError("missing: {} (see heed {} --help)", fmt::join(texts, "; "),
                    description_.command);
}

// Rewrites "--a_b=c" as the words --a-b and c. CLI11 would take the next word
// as the value of "--name=", and an option's name as the value of "--name".
Arguments Options::InFullForm(const Arguments& arguments) const {
  const std::vector<Field>& fields = description_.options.fields();
  const Strings names = AllNames();
  const auto is_name = [&names](const std::string& word) {
    return std::ranges::find(names, WithDashes(word)) != names.end();
  };
  Arguments words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, equals);
    if (!is_name(name)) {
      words.push_back(argument);
      continue;
    }
    if (!TakesValue(fields, name)) {
      words.push_back(WithDashes(name) + argument.substr(equals));
      continue;
    }
    words.push_back(WithDashes(name));
    if (equals < argument.size()) {
      words.push_back(argument.substr(equals + 1));
    } else if (i + 1 < arguments.size()) {
      const std::string& value = arguments[++i];
      if (is_name(value) || IsHelp(value)) {
        throw ConfigError(
            "{} needs a value, but {} follows (see heed {} --help)", name,
            value, description_.command);
      }
      words.push_back(value);
    }
  }
  return words;
}

Strings Options::AllNames() const {
  Strings names = {kConfigOption};
  for (const Field& field : description_.options.fields()) {
    for (const Strings& some : {field.OptionNames(), NegatedNames(field)}) {
      names.insert(names.end(), some.begin(), some.end());
    }
  }
  return names;
}

void Options::CheckModelFolders(const Arguments& arguments) const {
  if (!has_model_folders_) return;
  Strings folders = PositionalsIn(arguments, description_.options.fields());
  const Field& first = description_.positionals.front();
  if (!first.IsList() && folders.size() > 1) folders.resize(1);
  for (const std::string& folder : folders) {
    if (std::ranges::find(no_folders_, folder) == no_folders_.end()) {
      ReadModelSettings(folder);
    }
  }
}

void Options::RefuseUnknown(const Arguments& remaining) const {
  const auto first = std::ranges::find_if(
      remaining, [](const std::string& word) { return word != "--"; });
  if (first == remaining.end()) return;
  const std::string word = first->substr(0, first->find('='));
  if (word.rfind('-', 0) != 0) {
    throw ConfigError("unexpected argument '{}'{} (see heed {} --help)", word,
                      DidYouMeanOption(description_.options.fields(), word),
                      description_.command);
  }
  for (const FieldList::Removed& removed : description_.options.removed()) {
    if (!IsKnown({removed.field}, word)) continue;
    throw ConfigError("{} has no effect: {}", word, removed.reason);
  }
  Strings names = AllNames();
  names.emplace_back("--help");
  constexpr size_t kMaxNamed = 3;
  const Strings nearest = NearestNames(WithDashes(word), names, kMaxNamed);
  throw ConfigError("unknown option '{}'{}{} (see heed {} --help)", word,
                    subject_.empty() ? "" : " of " + subject_,
                    nearest.empty() ? ""
                                    : fmt::format(", did you mean {}?",
                                                  fmt::join(nearest, " or ")),
                    description_.command);
}

void Options::RefuseIdle(const FieldList& chosen) const {
  for (const Field& field : chosen.fields()) {
    const auto typed = typed_.find(field.key);
    if (field.needs.empty() || typed == typed_.end() ||
        typed->second == field.Value().dump()) {
      continue;
    }
    throw ConfigError("{} has no effect here: it needs {}", field.OptionName(),
                      field.needs);
  }
}

void Options::ApplyConfigFile(const std::string& path) {
  nlohmann::ordered_json json = ReadJsonFile(path);
  // A model's config.json is accepted, too; "heed" holds its version and
  // checksums.
  if (json.is_object() && json.erase("heed") > 0) {
    for (const FieldList::Removed& removed : description_.options.removed()) {
      json.erase(removed.field.key);
    }
  }
  FieldsFromJson(description_.options.fields(), json, path);
  for (const auto& item : json.items()) {
    given_.insert(FindField(description_.options.fields(), item.key())->key);
  }
}

std::string PeekOption(const Arguments& arguments, const std::string& key) {
  std::string option = "--" + key;
  std::ranges::replace(option, '_', '-');
  std::string value = LastValue(arguments, option);
  const std::string path = LastValue(arguments, kConfigOption);
  if (!value.empty() || path.empty()) return value;
  const nlohmann::ordered_json json = ReadJsonFile(path);
  const bool given =
      json.is_object() && json.contains(key) && json[key].is_string();
  return given ? json[key].get<std::string>() : "";
}

bool AsksForHelp(const Arguments& arguments) {
  return std::ranges::any_of(arguments, IsHelp);
}

std::vector<std::string> PositionalsIn(const Arguments& arguments,
                                       const std::vector<Field>& fields) {
  Strings positionals;
  bool value_follows = false;
  for (const std::string& word : arguments) {
    const bool is_value = value_follows;
    value_follows = !is_value && TakesValue(fields, word);
    if (is_value || value_follows) continue;
    if (!word.starts_with('-')) {
      positionals.push_back(word);
    } else if (!IsKnown(fields, word)) {
      break;  // the next word may be its value
    }
  }
  return positionals;
}

}  // namespace heed
