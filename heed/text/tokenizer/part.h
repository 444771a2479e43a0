// Reading of the parts of tokenizer.json.
#ifndef HEED_TEXT_TOKENIZER_PART_H_
#define HEED_TEXT_TOKENIZER_PART_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/json.h"

namespace heed::tokens {

/// A JSON object and its place in the file for error messages. Refers to the
/// value, which must outlive it.
class Part {
 public:
  using Json = nlohmann::ordered_json;

  /// `where`: "tokenizer.json: normalizer". Throws: FormatError unless `value`
  /// is an object.
  Part(const Json& value, std::string where);

  /// Member of this name; nullptr if it is missing or null.
  const Json* Find(std::string_view key) const;
  /// Members of the given types. Throw: FormatError if a member is missing or
  /// has another type.
  std::string Text(std::string_view key) const;
  std::string Text(std::string_view key, std::string_view fallback) const;
  std::optional<std::string> OptionalText(std::string_view key) const;
  bool Flag(std::string_view key, bool fallback) const;
  int64_t Number(std::string_view key, int64_t smallest, int64_t largest,
                 std::optional<int64_t> fallback = std::nullopt) const;
  /// The only character of a text.
  int32_t Character(std::string_view key,
                    std::optional<int32_t> fallback = std::nullopt) const;
  const Json::array_t& List(std::string_view key) const;
  /// The member "type".
  std::string Type() const { return Text("type"); }
  /// One of `names`, by index.
  size_t Choice(std::string_view key, std::span<const std::string_view> names,
                std::optional<size_t> fallback = std::nullopt) const;

  [[noreturn]] void Fail(std::string_view problem) const;
  const std::string& where() const { return where_; }
  const Json& value() const { return value_; }

 private:
  const Json& Need(std::string_view key, std::string_view wanted) const;

  const Json& value_;
  std::string where_;
};

/// Members of a list of parts: "Sequence" parts are replaced by their members
/// under `key`. Throws: FormatError for more than 100 parts.
std::vector<Part> Flattened(const Part& part, std::string_view key);

/// Largest number of ids of a vocabulary.
inline constexpr int64_t kMostRows = int64_t{1} << 24;

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_PART_H_
