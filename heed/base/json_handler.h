// Events of nlohmann's parser, for the readers of this folder.
#ifndef HEED_BASE_JSON_HANDLER_H_
#define HEED_BASE_JSON_HANDLER_H_

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"

namespace heed {

/// Passes the events to a JsonBuilder. Derived classes may skip or split
/// values. The arguments of the constructor must outlive the handler.
class JsonHandler : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  using Json = nlohmann::ordered_json;

  JsonHandler(std::string_view text, std::string_view source_name,
              const JsonLimits& limits)
      : text_(text),
        source_name_(source_name),
        limits_(limits),
        builder_(NewBuilder()) {}

  /// The finished value; the next one may follow.
  Json Take() {
    Json value = builder_.Take();
    builder_ = NewBuilder();
    return value;
  }

  bool null() final { return Passed(nullptr); }
  bool boolean(bool value) final { return Passed(value); }
  bool number_integer(number_integer_t value) final { return Passed(value); }
  bool number_unsigned(number_unsigned_t value) final { return Passed(value); }
  bool number_float(number_float_t value, const string_t&) final {
    return Passed(value);
  }
  bool string(string_t& value) final { return Passed(std::move(value)); }
  bool binary(binary_t&) final { return false; }  // never occurs in text
  bool start_object(size_t) final {
    Start(true);
    return true;
  }
  bool key(string_t& name) final {
    AddName(std::move(name));
    return true;
  }
  bool end_object() final {
    End();
    return true;
  }
  bool start_array(size_t) final {
    Start(false);
    return true;
  }
  bool end_array() final {
    End();
    return true;
  }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) final {
    constexpr int kOutOfRange = 400;  // first code of out-of-range errors
    if (error.id >= kOutOfRange)
      Fail("is not valid JSON (a number is too large)");
    const std::string_view before = text_.substr(0, position);
    const size_t line_end = before.rfind('\n');
    const size_t column =
        before.size() - (line_end == before.npos ? 0 : line_end + 1);
    throw FormatError("{}: is not valid JSON (at line {}, column {})",
                      source_name_, 1 + std::ranges::count(before, '\n'),
                      std::max<size_t>(column, 1));
  }

 protected:
  virtual void Add(Json scalar) { builder_.Add(std::move(scalar)); }
  virtual void AddName(std::string name) { builder_.AddName(std::move(name)); }
  virtual void Start(bool is_object) {
    is_object ? builder_.StartObject() : builder_.StartArray();
  }
  virtual void End() { builder_.End(); }

  [[noreturn]] void Fail(std::string_view problem) const {
    throw FormatError("{}: {}", source_name_, problem);
  }

 private:
  bool Passed(Json value) {
    Add(std::move(value));
    return true;
  }
  JsonBuilder NewBuilder() const {
    return {limits_, [this](std::string_view problem) { Fail(problem); }};
  }

  std::string_view text_;
  std::string_view source_name_;
  JsonLimits limits_;
  JsonBuilder builder_;
};

}  // namespace heed

#endif  // HEED_BASE_JSON_HANDLER_H_
