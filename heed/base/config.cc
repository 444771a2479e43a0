#include "heed/base/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <type_traits>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Strings = std::vector<std::string>;

template <typename T>
constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <typename T>
constexpr const char* ExpectedType() {
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (kIsInteger<T>) return "a whole number";
  if constexpr (std::is_same_v<T, double>) return "a finite number";
  if constexpr (std::is_same_v<T, std::string>) return "a text";
  return "a list of texts";
}

[[noreturn]] void Fail(std::string_view name, std::string_view value,
                       std::string_view expected) {
  throw ConfigError(fmt::format("{} is {}, must be {}", name, value, expected));
}

template <typename T>
bool ReadInteger(const Json& json, T& value) {
  const bool fits =
      json.is_number_unsigned()
          ? std::in_range<T>(json.get<uint64_t>())
          : json.is_number_integer() && std::in_range<T>(json.get<int64_t>());
  if (fits) value = json.get<T>();
  return fits;
}

bool ReadStrings(const Json& json, Strings& value) {
  if (!json.is_array()) return false;
  for (const Json& item : json) {
    if (!item.is_string()) return false;
    value.push_back(item.get<std::string>());
  }
  return true;
}

template <typename T>
bool ReadJson(const Json& json, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    if (json.is_boolean()) value = json.get<bool>();
    return json.is_boolean();
  } else if constexpr (kIsInteger<T>) {
    return ReadInteger(json, value);
  } else if constexpr (std::is_same_v<T, double>) {
    if (json.is_number()) value = json.get<double>();
    return json.is_number() && std::isfinite(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (json.is_string()) value = json.get<std::string>();
    return json.is_string();
  } else {
    return ReadStrings(json, value);
  }
}

template <typename T>
bool ReadNumber(const std::string& word, T& value) {
  const char* end = word.data() + word.size();
  const auto result = std::from_chars(word.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

template <typename T>
bool ReadText(const Strings& words, T& value) {
  if constexpr (std::is_same_v<T, Strings>) {
    value = words;
    return true;
  } else {
    if (words.size() != 1) return false;
    const std::string& word = words[0];
    if constexpr (std::is_same_v<T, bool>) {
      value = word == "true";
      return value || word == "false";
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = word;
      return true;
    } else if constexpr (std::is_same_v<T, double>) {
      return ReadNumber(word, value) && std::isfinite(value);
    } else {
      return ReadNumber(word, value);
    }
  }
}

bool Contains(const Range& range, double value) {
  return (range.open_min ? value > range.min : value >= range.min) &&
         (range.open_max ? value < range.max : value <= range.max);
}

std::string Name(const Range& range) {
  if (range.max == std::numeric_limits<double>::infinity()) {
    return fmt::format("{} {}", range.open_min ? "above" : "at least",
                       range.min);
  }
  return fmt::format("{}{} to {}{}", range.open_min ? "above " : "", range.min,
                     range.open_max ? "below " : "", range.max);
}

template <typename T>
void CheckValue(const T& value, const Constraint& constraint,
                std::string_view name) {
  if constexpr (std::is_same_v<T, double>) {
    if (!std::isfinite(value)) {
      Fail(name, fmt::to_string(value), ExpectedType<T>());
    }
  }
  if constexpr (std::is_arithmetic_v<T>) {
    const auto* range = std::get_if<Range>(&constraint);
    if (range && !Contains(*range, static_cast<double>(value))) {
      Fail(name, fmt::to_string(value), Name(*range));
    }
  } else if constexpr (std::is_same_v<T, std::string>) {
    const auto* one_of = std::get_if<OneOf>(&constraint);
    if (!one_of) return;
    const Strings& choices = one_of->choices;
    if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
      Fail(name, Abridged(value),
           fmt::format("one of {}{}", fmt::join(choices, ", "),
                       DidYouMean(value, choices)));
    }
  } else {
    for (const std::string& item : value) CheckValue(item, constraint, name);
  }
}

Strings KeysOf(const std::vector<Field>& fields) {
  Strings keys;
  for (const Field& field : fields) keys.push_back(field.key);
  return keys;
}

// Optimal string alignment distance, over three rows of its table.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

Range AtLeast(double min) {
  return {min, std::numeric_limits<double>::infinity()};
}

Range Above(double min) {
  Range range = AtLeast(min);
  range.open_min = true;
  return range;
}

Range UpToBelow(double min, double max) {
  Range range(min, max);
  range.open_max = true;
  return range;
}

Json Field::Value() const {
  return std::visit([](const auto* value) { return Json(*value); }, target);
}

std::string Field::TypeName() const {
  if (const auto* one_of = std::get_if<OneOf>(&constraint)) {
    return fmt::format("{}", fmt::join(one_of->choices, "|"));
  }
  return std::visit(
      [](const auto* value) -> std::string {
        using T = std::decay_t<decltype(*value)>;
        if constexpr (std::is_same_v<T, bool>) return "flag";
        if constexpr (kIsInteger<T>) return "int";
        if constexpr (std::is_same_v<T, double>) return "number";
        if constexpr (std::is_same_v<T, std::string>) return "text";
        return "list";
      },
      target);
}

std::string Field::RangeName() const {
  const auto* range = std::get_if<Range>(&constraint);
  return range ? Name(*range) : "";
}

std::string Field::OptionName() const {
  std::string name = "--" + key;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void Field::SetJson(const Json& json, std::string_view name) const {
  std::visit(
      [&](auto* member) {
        using T = std::decay_t<decltype(*member)>;
        T value{};
        if (!ReadJson(json, value))
          Fail(name, Abridged(json), ExpectedType<T>());
        CheckValue(value, constraint, name);
        *member = std::move(value);
      },
      target);
}

void Field::SetText(const Strings& words, std::string_view name) const {
  std::visit(
      [&](auto* member) {
        using T = std::decay_t<decltype(*member)>;
        T value{};
        if (!ReadText(words, value)) {
          Fail(name, Abridged(fmt::format("{}", fmt::join(words, " "))),
               ExpectedType<T>());
        }
        CheckValue(value, constraint, name);
        *member = std::move(value);
      },
      target);
}

void Field::Check(std::string_view name) const {
  std::visit([&](const auto* value) { CheckValue(*value, constraint, name); },
             target);
}

void FieldList::Add(std::string_view key, FieldTarget target,
                    const Constraint& constraint, std::string_view help) {
  for (const Field& field : fields_) {
    if (field.key == key) {
      throw ConfigError(fmt::format("config key '{}' is described twice", key));
    }
  }
  fields_.push_back(
      {std::string(key), target, constraint, std::string(help), section_});
}

Json FieldsToJson(const std::vector<Field>& fields) {
  Json json = Json::object();
  for (const Field& field : fields) json[field.key] = field.Value();
  return json;
}

void FieldsFromJson(const std::vector<Field>& fields, const Json& json,
                    std::string_view source_name) {
  if (!json.is_object()) {
    throw ConfigError(fmt::format("{}: is {}, must be an object of settings",
                                  source_name, Abridged(json)));
  }
  for (const auto& item : json.items()) {
    const std::string& key = item.key();
    const auto field =
        std::find_if(fields.begin(), fields.end(),
                     [&](const Field& f) { return f.key == key; });
    if (field == fields.end()) {
      const Strings keys = KeysOf(fields);
      throw ConfigError(fmt::format(
          "{}: unknown key {}{} (valid: {})", source_name, Abridged(key),
          DidYouMean(key, keys), fmt::join(keys, ", ")));
    }
    field->SetJson(item.value(), fmt::format("{}: {}", source_name, key));
  }
}

void CheckFields(const std::vector<Field>& fields) {
  for (const Field& field : fields) field.Check(field.key);
}

std::vector<FieldDescription> DescribeFields(const std::vector<Field>& fields) {
  std::vector<FieldDescription> descriptions;
  for (const Field& field : fields) {
    const Json value = field.Value();
    descriptions.push_back(
        {field.key, field.TypeName(),
         value.is_string() ? value.get<std::string>() : value.dump(),
         field.RangeName(), field.help, field.section});
  }
  return descriptions;
}

std::string NearestName(std::string_view word, const Strings& candidates) {
  std::string nearest;
  size_t limit = std::max<size_t>(1, word.size() / 3);
  for (const std::string& candidate : candidates) {
    const size_t longer = std::max(word.size(), candidate.size());
    const size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter > limit) continue;
    const size_t distance = EditDistance(word, candidate);
    if (distance > limit || distance == longer) continue;
    nearest = candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, const Strings& candidates) {
  const std::string nearest = NearestName(word, candidates);
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

}  // namespace heed
