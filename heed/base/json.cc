#include "heed/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using Difference = std::vector<Json>::difference_type;

// Passes the events of nlohmann's lexer to a JsonBuilder.
class Handler final : public nlohmann::json_sax<Json> {
 public:
  Handler(std::string_view text, std::string_view source_name,
          const JsonLimits& limits)
      : text_(text),
        source_name_(source_name),
        builder_(limits, [this](std::string_view problem) {
          throw FormatError("{}: {}", source_name_, problem);
        }) {}

  Json Take() { return builder_.Take(); }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override {
    return Add(value);
  }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // never occurs in text
  bool start_object(size_t) override {
    builder_.StartObject();
    return true;
  }
  bool key(string_t& name) override {
    builder_.AddName(std::move(name));
    return true;
  }
  bool end_object() override { return End(); }
  bool start_array(size_t) override {
    builder_.StartArray();
    return true;
  }
  bool end_array() override { return End(); }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int kOutOfRange = 400;  // first code of out-of-range errors
    if (error.id >= kOutOfRange) {
      throw FormatError("{}: is not valid JSON (a number is too large)",
                        source_name_);
    }
    const std::string_view before = text_.substr(0, position);
    const size_t line_end = before.rfind('\n');
    const size_t column =
        before.size() - (line_end == before.npos ? 0 : line_end + 1);
    throw FormatError("{}: is not valid JSON (at line {}, column {})",
                      source_name_, 1 + std::ranges::count(before, '\n'),
                      std::max<size_t>(column, 1));
  }

 private:
  bool Add(Json value) {
    builder_.Add(std::move(value));
    return true;
  }
  bool End() {
    builder_.End();
    return true;
  }

  std::string_view text_;
  std::string_view source_name_;
  JsonBuilder builder_;
};

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
  Handler handler(text, source_name, limits);
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
