#include "heed/convert/import_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/io/file.h"

namespace heed {
namespace {

using SortedJson = nlohmann::json;

bool IsOff(const SortedJson& value) {
  if (value.is_array()) return std::all_of(value.begin(), value.end(), IsOff);
  return (value.is_string() && value.get<std::string>().empty()) ||
         value == "false" || value == "0" || value == "none" || value == "null";
}

/// Scalars as texts.
SortedJson AsTexts(const SortedJson& value) {
  if (value.is_null()) return "";
  if (!value.is_structured()) {
    return value.is_string() ? value : SortedJson(value.dump());
  }
  SortedJson texts = value;
  for (SortedJson& element : texts) element = AsTexts(element);
  return texts;
}

}  // namespace

ImportOptions::ImportOptions(SortedJson values, std::string file)
    : values_(std::move(values)), file_(std::move(file)) {
  if (!values_.is_object()) {
    throw FormatError(file_ + ": not a map of settings");
  }
}

void ImportOptions::Fail(const std::string& key,
                         const std::string& problem) const {
  throw FormatError(fmt::format("{}: option {}: {}", file_, key, problem));
}

std::string ImportOptions::Text(const std::string& key,
                                const std::string& otherwise) {
  understood_.insert(key);
  if (!values_.contains(key)) return otherwise;
  if (!values_[key].is_string()) Fail(key, "not a text");
  return values_[key].get<std::string>();
}

int ImportOptions::Number(const std::string& key, int otherwise) {
  const std::string text = Text(key, std::to_string(otherwise));
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) {
    Fail(key, fmt::format("'{}' is not a whole number", text));
  }
  return number;
}

double ImportOptions::Real(const std::string& key, double otherwise) {
  if (!Has(key)) return otherwise;
  const std::string text = Text(key, "");
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) {
    Fail(key, fmt::format("'{}' is not a number", text));
  }
  return number;
}

bool ImportOptions::Flag(const std::string& key, bool otherwise) {
  return OneOf(key, otherwise ? "true" : "false", {"true", "false"}) == "true";
}

std::string ImportOptions::OneOf(
    const std::string& key, const std::string& otherwise,
    std::initializer_list<std::string_view> values) {
  std::string text = Text(key, otherwise);
  if (std::find(values.begin(), values.end(), text) == values.end()) {
    Fail(key, fmt::format("Heed cannot do '{}' (it can: '{}')", text,
                          fmt::join(values, "', '")));
  }
  return text;
}

void ImportOptions::SkipAll(std::string_view prefix) {
  for (const auto& [key, value] : values_.items()) {
    if (key.starts_with(prefix)) understood_.insert(key);
  }
}

void ImportOptions::CheckAllUnderstood() const {
  for (const auto& [key, value] : values_.items()) {
    if (understood_.contains(key) || IsOff(value)) continue;
    Fail(key, fmt::format("Heed cannot do {}", value.dump()));
  }
}

ImportOptions ReadJsonOptions(const std::string& path) {
  const nlohmann::ordered_json json = ParseJson(ReadFile(path), path);
  return {AsTexts(SortedJson(json)), path};
}

}  // namespace heed
