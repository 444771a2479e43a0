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
#include <optional>
#include <type_traits>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Strings = std::vector<std::string>;

/// Maximum number of names listed in a message.
constexpr size_t kListedNames = 12;

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
  throw ConfigError("{} is {}, must be {}", name, value, expected);
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

// A single text is a list of one element.
bool ReadStrings(const Json& json, Strings& value) {
  if (json.is_string()) {
    auto text = json.get<std::string>();
    if (!text.empty()) value.push_back(std::move(text));
    return true;
  }
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

/// Value of a field's member; an enum is returned as its word.
template <typename T>
const T& Get(const T* member) {
  return *member;
}
std::string Get(const WordTarget& target) { return target.get(target.member); }

template <typename T>
void Set(T* member, T value) {
  *member = std::move(value);
}
void Set(const WordTarget& target, const std::string& word) {
  target.set(target.member, word);
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
    if (std::ranges::find(choices, value) == choices.end()) {
      Fail(name, Abridged(value),
           fmt::format("one of {}{}", fmt::join(choices, ", "),
                       DidYouMean(value, choices)));
    }
  } else {
    for (const std::string& item : value) CheckValue(item, constraint, name);
  }
}

std::string OptionNameOf(std::string_view key) {
  std::string name = fmt::format("--{}", key);
  std::ranges::replace(name, '_', '-');
  return name;
}

Strings KeysOf(const std::vector<Field>& fields) {
  Strings keys;
  for (const Field& field : fields) keys.push_back(field.key);
  return keys;
}

// Suggestions for an unknown name: similar names, and all names if there are
// few.
std::string Instead(std::string_view name, const Strings& names) {
  if (names.size() <= kListedNames) {
    return fmt::format("{} (valid: {})", DidYouMean(name, names),
                       fmt::join(names, ", "));
  }
  const Strings nearest = NearestNames(name, names, 3);
  if (nearest.empty()) return "";
  return fmt::format(", did you mean '{}'?", fmt::join(nearest, "', '"));
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
  return std::visit([](const auto& to) { return Json(Get(to)); }, target);
}

std::string Field::TypeName() const {
  if (const auto* one_of = std::get_if<OneOf>(&constraint)) {
    return fmt::format("{}", fmt::join(one_of->choices, "|"));
  }
  return std::visit(
      [](const auto& to) -> std::string {
        using T = std::decay_t<decltype(Get(to))>;
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

std::string Field::OptionName() const { return OptionNameOf(key); }

Strings Field::OptionNames() const {
  Strings names = {OptionName()};
  for (const std::string& alias : aliases) names.push_back(OptionNameOf(alias));
  return names;
}

bool Field::IsNamed(std::string_view name) const {
  return name == key || std::ranges::find(aliases, name) != aliases.end();
}

bool Field::IsSet() const {
  const Json value = Value();
  if (value.is_string()) return !value.get<std::string>().empty();
  return !value.empty();
}

void Field::SetJson(const Json& json, std::string_view name) const {
  std::visit(
      [&](const auto& to) {
        using T = std::decay_t<decltype(Get(to))>;
        T value{};
        if (!ReadJson(json, value))
          Fail(name, Abridged(json), ExpectedType<T>());
        CheckValue(value, constraint, name);
        Set(to, std::move(value));
      },
      target);
}

void Field::SetText(const Strings& words, std::string_view name) const {
  std::visit(
      [&](const auto& to) {
        using T = std::decay_t<decltype(Get(to))>;
        T value{};
        if (!ReadText(words, value)) {
          Fail(name, Abridged(fmt::format("{}", fmt::join(words, " "))),
               ExpectedType<T>());
        }
        CheckValue(value, constraint, name);
        Set(to, std::move(value));
      },
      target);
}

void Field::Check(std::string_view name) const {
  std::visit([&](const auto& to) { CheckValue(Get(to), constraint, name); },
             target);
}

void FieldList::CheckFree(std::string_view name) const {
  if (FindField(fields_, name) == nullptr) return;
  throw ConfigError("config key '{}' is described twice", name);
}

FieldList& FieldList::Add(std::string_view key, FieldTarget target,
                          const Constraint& constraint, std::string_view help) {
  CheckFree(key);
  fields_.push_back(
      {std::string(key), target, constraint, std::string(help), section_});
  return *this;
}

FieldList& FieldList::Alias(std::string_view name) {
  CheckFree(name);
  fields_.back().aliases.emplace_back(name);
  return *this;
}

FieldList& FieldList::Main() {
  fields_.back().main = true;
  return *this;
}

FieldList& FieldList::ServedUpTo(int limit) {
  fields_.back().served_limit = limit;
  return *this;
}

FieldList& FieldList::If(bool acts, std::string_view needs) {
  fields_.back().needs = acts ? "" : needs;
  return *this;
}

void FieldList::If(std::string_view key, bool acts, std::string_view needs) {
  const auto field = std::ranges::find(fields_, key, &Field::key);
  if (field != fields_.end()) field->needs = acts ? "" : needs;
}

void FieldList::Remove(std::string_view key, std::string reason) {
  const auto field = std::ranges::find(fields_, key, &Field::key);
  if (field == fields_.end()) return;
  removed_.push_back({std::move(*field), std::move(reason)});
  fields_.erase(field);
}

const Field* FindField(const std::vector<Field>& fields,
                       std::string_view name) {
  const auto field = std::ranges::find_if(
      fields, [&](const Field& f) { return f.IsNamed(name); });
  return field == fields.end() ? nullptr : &*field;
}

bool IsMet(const Requirement& ways, const std::vector<Field>& fields) {
  return std::ranges::any_of(ways, [&](const Strings& keys) {
    return std::ranges::all_of(keys, [&](const std::string& key) {
      return FindField(fields, key)->IsSet();
    });
  });
}

void CheckGiven(const FieldList& list) {
  for (const Requirement& ways : list.requirements()) {
    if (IsMet(ways, list.fields())) continue;
    Strings texts;
    for (const Strings& keys : ways) {
      Strings names;
      for (const std::string& key : keys) {
        names.push_back(FindField(list.fields(), key)->OptionName());
      }
      texts.push_back(fmt::format("{}", fmt::join(names, " and ")));
    }
    throw ConfigError("{} is needed", fmt::join(texts, " or "));
  }
}

Json FieldsToJson(const std::vector<Field>& fields) {
  Json json = Json::object();
  for (const Field& field : fields) json[field.key] = field.Value();
  return json;
}

void FieldsFromJson(const std::vector<Field>& fields, const Json& json,
                    std::string_view source_name) {
  if (!json.is_object()) {
    throw ConfigError("{}: is {}, must be an object of settings", source_name,
                      Abridged(json));
  }
  Strings given;
  for (const auto& item : json.items()) {
    const std::string& key = item.key();
    const Field* field = FindField(fields, key);
    if (field == nullptr) {
      throw ConfigError("{}: unknown key {}{}", source_name, Abridged(key),
                        Instead(key, KeysOf(fields)));
    }
    if (std::ranges::find(given, field->key) != given.end()) {
      throw ConfigError("{}: {} is given twice", source_name, field->key);
    }
    given.push_back(field->key);
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

namespace {

// Number of edits from one word to another; nullopt if above `limit`.
std::optional<size_t> EditsWithin(size_t limit, std::string_view word,
                                  std::string_view candidate) {
  const size_t longer = std::max(word.size(), candidate.size());
  const size_t shorter = std::min(word.size(), candidate.size());
  if (longer - shorter > limit) return std::nullopt;
  const size_t distance = EditDistance(word, candidate);
  if (distance > limit || distance == longer) return std::nullopt;
  return distance;
}

size_t MaxEdits(std::string_view word) {
  return std::max<size_t>(1, word.size() / 3);
}

}  // namespace

std::string NearestName(std::string_view word, const Strings& candidates) {
  std::string nearest;
  size_t limit = MaxEdits(word);
  for (const std::string& candidate : candidates) {
    const auto distance = EditsWithin(limit, word, candidate);
    if (!distance) continue;
    nearest = candidate;
    if (*distance == 0) break;
    limit = *distance - 1;
  }
  return nearest;
}

Strings NearestNames(std::string_view word, const Strings& candidates,
                     size_t count) {
  constexpr size_t kMinPart = 3;
  const size_t limit = MaxEdits(word);
  std::vector<std::pair<size_t, std::string>> near;  // by distance
  for (const std::string& candidate : candidates) {
    const bool part = std::min(word.size(), candidate.size()) >= kMinPart &&
                      (candidate.find(word) != candidate.npos ||
                       word.find(candidate) != word.npos);
    const auto distance = EditsWithin(limit, word, candidate);
    if (distance) {
      near.emplace_back(*distance, candidate);
    } else if (part) {
      near.emplace_back(limit + 1, candidate);
    }
  }
  std::ranges::stable_sort(
      near, [](const auto& a, const auto& b) { return a.first < b.first; });
  Strings names;
  for (auto& [distance, name] : near) {
    if (names.size() < count) names.push_back(std::move(name));
  }
  return names;
}

void ThrowUnknownWord(const std::string& word, const Strings& words) {
  throw ConfigError("'{}' is not one of {}{}", word, fmt::join(words, ", "),
                    DidYouMean(word, words));
}

std::string DidYouMean(std::string_view word, const Strings& candidates) {
  const std::string nearest = NearestName(word, candidates);
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

}  // namespace heed
