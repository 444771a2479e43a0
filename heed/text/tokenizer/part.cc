#include "heed/text/tokenizer/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {

Part::Part(const Json& value, std::string where)
    : value_(value), where_(std::move(where)) {
  if (!value.is_object()) Fail("must be an object");
}

void Part::Fail(std::string_view problem) const {
  throw FormatError("{}: {}", where_, problem);
}

const Part::Json* Part::Find(std::string_view key) const {
  for (const auto& [name, member] : value_.items()) {
    if (name == key) return member.is_null() ? nullptr : &member;
  }
  return nullptr;
}

const Part::Json& Part::Need(std::string_view key,
                             std::string_view wanted) const {
  const Json* member = Find(key);
  if (member == nullptr) Fail(fmt::format("'{}' is missing ({})", key, wanted));
  return *member;
}

std::string Part::Text(std::string_view key) const {
  const Json& member = Need(key, "a text");
  if (!member.is_string()) Fail(fmt::format("'{}' must be a text", key));
  return member.get<std::string>();
}

std::string Part::Text(std::string_view key, std::string_view fallback) const {
  return Find(key) == nullptr ? std::string(fallback) : Text(key);
}

std::optional<std::string> Part::OptionalText(std::string_view key) const {
  if (Find(key) == nullptr) return std::nullopt;
  return Text(key);
}

bool Part::Flag(std::string_view key, bool fallback) const {
  const Json* member = Find(key);
  if (member == nullptr) return fallback;
  if (!member->is_boolean()) {
    Fail(fmt::format("'{}' must be true or false", key));
  }
  return member->get<bool>();
}

int64_t Part::Number(std::string_view key, int64_t smallest, int64_t largest,
                     std::optional<int64_t> fallback) const {
  if (fallback && Find(key) == nullptr) return *fallback;
  const Json& member = Need(key, "a number");
  const bool fits =
      member.is_number_integer() &&
      (!member.is_number_unsigned() ||
       member.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
  const int64_t number = fits ? member.get<int64_t>() : smallest - 1;
  if (number < smallest || number > largest) {
    Fail(fmt::format("'{}' is {}; expected a number from {} to {}", key,
                     Abridged(member), smallest, largest));
  }
  return number;
}

int32_t Part::Character(std::string_view key,
                        std::optional<int32_t> fallback) const {
  if (fallback && Find(key) == nullptr) return *fallback;
  const std::string text = Text(key);
  size_t end = 0;
  const int32_t code = text.empty() ? 0 : NextCode(text, end);
  if (end == 0 || end != text.size()) {
    Fail(fmt::format("'{}' must be one character", key));
  }
  return code;
}

const Part::Json::array_t& Part::List(std::string_view key) const {
  const Json& member = Need(key, "a list");
  if (!member.is_array()) Fail(fmt::format("'{}' must be a list", key));
  return member.get_ref<const Json::array_t&>();
}

size_t Part::Choice(std::string_view key,
                    std::span<const std::string_view> names,
                    std::optional<size_t> fallback) const {
  if (fallback && Find(key) == nullptr) return *fallback;
  const std::string text = Text(key);
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    Fail(fmt::format("'{}' is {}; expected {}", key, Abridged(text),
                     fmt::join(names, ", ")));
  }
  return static_cast<size_t>(found - names.begin());
}

std::vector<Part> Flattened(const Part& part, std::string_view key) {
  constexpr size_t kMostParts = 100;
  if (part.Type() != "Sequence") return {part};
  std::vector<Part> parts;
  for (const auto& member : part.List(key)) {
    // The depth of JSON is limited.
    for (const Part& inner : Flattened(Part(member, part.where()), key)) {
      parts.push_back(inner);
    }
    if (parts.size() > kMostParts) {
      part.Fail(fmt::format("has more than {} parts", kMostParts));
    }
  }
  return parts;
}

}  // namespace heed::tokens
