#include "heed/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json_handler.h"
#include "heed/base/text.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Difference = std::vector<Json>::difference_type;

}  // namespace

void JsonBuilder::Add(Json scalar) {
  if (++count_ > limits_.values) {
    fail_(fmt::format("holds more than {} values", limits_.values));
  }
  values_.push_back(std::move(scalar));
}

void JsonBuilder::AddName(std::string name) {
  if (names_.size() - levels_.back().first_name == limits_.names) {
    fail_(fmt::format("an object has more than {} names", limits_.names));
  }
  names_.push_back(std::move(name));
}

bool JsonBuilder::expects_name() const {
  if (levels_.empty() || !levels_.back().is_object) return false;
  const Level& level = levels_.back();
  return names_.size() - level.first_name == values_.size() - level.first_value;
}

void JsonBuilder::Start(bool is_object) {
  if (levels_.size() == limits_.depth) {
    fail_(fmt::format("nested more than {} deep", limits_.depth));
  }
  levels_.push_back({is_object, values_.size(), names_.size()});
}

// After sorting, duplicate names are adjacent.
void JsonBuilder::CheckNames(size_t first) const {
  std::vector<std::string_view> names(
      names_.begin() + static_cast<Difference>(first), names_.end());
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  fail_(fmt::format("the name {} stands twice in an object",
                    Abridged(std::string(*twice))));
}

void JsonBuilder::End() {
  const Level level = levels_.back();
  levels_.pop_back();
  const auto first =
      values_.begin() + static_cast<Difference>(level.first_value);
  Json value;
  if (level.is_object) {
    CheckNames(level.first_name);
    Json::object_t members;
    members.reserve(static_cast<size_t>(values_.end() - first));
    auto name = names_.begin() + static_cast<Difference>(level.first_name);
    for (auto member = first; member != values_.end(); ++member, ++name) {
      // emplace() would search all existing members.
      members.emplace_back(std::move(*name), std::move(*member));
    }
    value = std::move(members);
  } else {
    value = Json::array_t(std::move_iterator(first),
                          std::move_iterator(values_.end()));
  }
  values_.resize(level.first_value);
  names_.resize(level.first_name);
  Add(std::move(value));
}

Json JsonBuilder::Take() {
  if (values_.empty()) return {};
  return std::move(values_.back());
}

Json ParseJson(std::string_view text, std::string_view source_name,
               const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw FormatError("{}: {} bytes of JSON, more than {}", source_name,
                      text.size(), limits.bytes);
  }
  JsonHandler handler(text, source_name, limits);
  Json::sax_parse(text, &handler);
  return handler.Take();
}

std::string DumpJson(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string Abridged(const Json& value) {
  constexpr size_t kShownBytes = 60;
  std::string text = DumpJson(value);
  if (text.size() <= kShownBytes) return text;
  size_t end = kShownBytes;
  while (!BeginsCharacter(text[end])) --end;  // at a character boundary
  return text.substr(0, end) + "...";
}

}  // namespace heed
