#include "heed/convert/import_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using SortedJson = nlohmann::json;

/// Converts all scalars to texts.
SortedJson AsTexts(const SortedJson& value) {
  if (value.is_null()) return "";
  if (!value.is_structured()) {
    return value.is_string() ? value : SortedJson(value.dump());
  }
  SortedJson texts = value;
  for (SortedJson& element : texts) element = AsTexts(element);
  return texts;
}

/// True for zeros with sign, decimals or unit: "0", "-0.00", "0u", "0e", "0t",
/// "0.f".
bool IsZero(std::string_view text) {
  const size_t end = std::min(text.find_first_not_of("+-0."), text.size());
  constexpr std::array<std::string_view, 5> kUnits = {"", "u", "e", "t", "f"};
  return text.substr(0, end).find('0') != std::string_view::npos &&
         std::ranges::find(kUnits, text.substr(end)) != kUnits.end();
}

}  // namespace

bool IsOff(const SortedJson& value) {
  if (value.is_structured()) {
    return std::ranges::all_of(value, IsOff);
  }
  if (!value.is_string()) return value.is_null();
  constexpr std::array kOff = {"",     "false", "no", "off",
                               "none", "null",  "~",  "default"};
  const auto& text = value.get_ref<const std::string&>();
  const std::string lower = Lowercase(text);
  return std::ranges::find(kOff, lower) != kOff.end() || IsZero(lower);
}

std::string ValueText(const SortedJson& value) {
  if (value.is_string()) return fmt::format("'{}'", value.get<std::string>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> elements;
  for (const SortedJson& element : value) {
    elements.push_back(ValueText(element));
  }
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

ImportOptions::ImportOptions(SortedJson values, std::string file)
    : values_(std::move(values)), file_(std::move(file)) {
  if (!values_.is_object()) {
    throw FormatError(file_ + ": not a map of settings");
  }
}

void ImportOptions::Fail(const std::string& key,
                         const std::string& problem) const {
  throw FormatError("{}: option {}: {}", file_, key, problem);
}

SortedJson ImportOptions::Value(const std::string& key) const {
  return Has(key) ? values_[key] : SortedJson();
}

std::string ImportOptions::Text(const std::string& key,
                                const std::string& otherwise) {
  understood_.insert(key);
  if (!values_.contains(key)) return otherwise;
  if (!values_[key].is_string()) Fail(key, "not a text");
  return values_[key].get<std::string>();
}

int ImportOptions::Number(const std::string& key, int otherwise) {
  if (const SortedJson value = Value(key); value.is_structured()) {
    Fail(key, fmt::format("{}, where Heed needs one whole number",
                          ValueText(value)));
  }
  if (!Has(key) || Text(key, "").empty()) {  // absent, or null
    understood_.insert(key);
    return otherwise;
  }
  return ParseNumber(key, Text(key, ""));
}

int ImportOptions::ParseNumber(const std::string& key,
                               const SortedJson& value) const {
  const std::string text =
      value.is_string() ? value.get<std::string>() : value.dump();
  const auto number = ParseInteger<int>(text);
  if (!number) Fail(key, fmt::format("'{}' is not a whole number", text));
  return *number;
}

double ImportOptions::Real(const std::string& key, double otherwise) {
  const std::string text = Text(key, "");
  if (text.empty()) return otherwise;  // absent, or null
  const auto number = heed::ParseNumber(text);
  if (!number) Fail(key, fmt::format("'{}' is not a number", text));
  return *number;
}

bool ImportOptions::Flag(const std::string& key, bool otherwise) {
  // YAML accepts these spellings of booleans.
  const std::string text = Lowercase(Text(key, ""));
  if (text == "yes" || text == "on" || text == "y") return true;
  if (text == "no" || text == "off" || text == "n") return false;
  if (text == "true" || text == "false") return text == "true";
  return OneOf(key, otherwise ? "true" : "false", {"true", "false"}) == "true";
}

std::string ImportOptions::OneOf(
    const std::string& key, const std::string& otherwise,
    std::initializer_list<std::string_view> values) {
  std::string text = Text(key, otherwise);
  if (text.empty()) text = otherwise;  // null
  if (std::ranges::find(values, text) == values.end()) {
    Fail(key, fmt::format("Heed does not support '{}' (supported: '{}')", text,
                          fmt::join(values, "', '")));
  }
  return text;
}

void ImportOptions::SkipAll(std::string_view prefix) {
  for (const auto& [key, value] : values_.items()) {
    if (key.starts_with(prefix)) understood_.insert(key);
  }
}

void ImportOptions::SkipEach(std::string_view keys) {
  for (const std::string_view key : SplitWhitespace(keys)) {
    understood_.emplace(key);
  }
}

void ImportOptions::Ignore(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    if (values_.erase(key) == 0) {
      throw ConfigError("ignore-option: {} has no option '{}'", file_, key);
    }
  }
}

std::vector<int> ImportOptions::Numbers(const std::string& key) {
  understood_.insert(key);
  if (!Has(key) || IsOff(values_[key])) return {};
  if (!values_[key].is_array()) return {ParseNumber(key, values_[key])};
  std::vector<int> numbers;
  for (const SortedJson& element : values_[key]) {
    numbers.push_back(ParseNumber(key, element));
  }
  return numbers;
}

std::vector<std::pair<std::string, SortedJson>> ImportOptions::UnreadOptions()
    const {
  std::vector<std::pair<std::string, SortedJson>> others;
  for (const auto& [key, value] : values_.items()) {
    if (!understood_.contains(key)) others.emplace_back(key, value);
  }
  return others;
}

void ImportOptions::CheckAllUnderstood() const {
  for (const auto& [key, value] : UnreadOptions()) {
    if (IsOff(value)) continue;
    Fail(key, fmt::format("{}: unknown option; if the model's scores do not "
                          "depend on it, import with --ignore-option {}",
                          ValueText(value), key));
  }
}

ImportOptions ReadJsonOptions(const std::string& path) {
  const nlohmann::ordered_json json = ParseJson(ReadFile(path), path);
  return {AsTexts(SortedJson(json)), path};
}

}  // namespace heed
