#include "heed/serve/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "heed/base/text.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

void CheckName(std::string_view refusal, const std::string& name,
               const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) != known.end()) return;
  RefuseRequest(fmt::format("{} '{}'{} (valid: {})", refusal, name,
                            DidYouMean(name, known), fmt::join(known, ", ")));
}

}  // namespace

void RefuseRequest(const std::string& message) {
  throw HttpError(400, "Invalid request: " + message);
}

// The message is LibreTranslate's for a missing or empty parameter.
const Json& Need(const Json& parameters, const char* name) {
  const auto found = parameters.find(name);
  if (found == parameters.end() || found->is_null() ||
      (found->is_string() && found->get_ref<const std::string&>().empty()) ||
      (found->is_array() && found->empty())) {
    RefuseRequest(fmt::format("missing {} parameter", name));
  }
  return *found;
}

std::string TextOf(const Json& value, std::string_view name) {
  if (!value.is_string()) {
    RefuseRequest(
        fmt::format("{} parameter must be a text, not a value of "
                    "type {}",
                    name, value.type_name()));
  }
  return value.get<std::string>();
}

std::string OptionalText(const Json& parameters, const char* name) {
  const auto found = parameters.find(name);
  if (found == parameters.end() || found->is_null()) return "";
  return TextOf(*found, name);
}

int OptionalNumber(const Json& parameters, const char* name, int otherwise,
                   int min, int max) {
  const auto found = parameters.find(name);
  if (found == parameters.end() || found->is_null()) return otherwise;
  std::optional<int64_t> number;
  if (found->is_number_unsigned()) {
    if (found->get<uint64_t>() <= uint64_t{1} << 62) {
      number = found->get<int64_t>();
    }
  } else if (found->is_number_integer()) {
    number = found->get<int64_t>();
  } else if (found->is_string()) {
    number = ParseInteger<int64_t>(found->get_ref<const std::string&>());
  }
  if (!number) RefuseRequest(fmt::format("{} parameter is not a number", name));
  if (*number > max) {
    RefuseRequest(fmt::format("{} parameter must be <= {}", name, max));
  }
  return static_cast<int>(std::max<int64_t>(*number, min));
}

bool OptionalFlag(const Json& parameters, const char* name) {
  const auto found = parameters.find(name);
  if (found == parameters.end() || found->is_null()) return false;
  if (found->is_boolean()) return found->get<bool>();
  if (*found == "true" || *found == "1") return true;
  const bool empty =
      found->is_string() && found->get_ref<const std::string&>().empty();
  if (*found == "false" || *found == "0" || empty) return false;
  RefuseRequest(fmt::format("{} parameter must be true or false", name));
}

std::string SizeError(int64_t size, int limit) {
  return fmt::format("request ({}) exceeds text limit ({})", size, limit);
}

void CheckSize(int64_t size, int limit) {
  if (limit != 0 && size > limit) RefuseRequest(SizeError(size, limit));
}

std::vector<std::string> TextsOf(const Json& value, const char* name,
                                 const RequestLimits& limits) {
  std::vector<std::string> texts;
  if (value.is_array()) {
    CheckSize(std::ssize(value), limits.batch_limit);
    for (size_t i = 0; i < value.size(); ++i) {
      texts.push_back(TextOf(value[i], fmt::format("{}[{}]", name, i)));
    }
  } else if (value.is_string()) {
    texts.push_back(value.get<std::string>());
  } else {
    RefuseRequest(
        fmt::format("{} parameter must be a text or a list of texts, "
                    "not a value of type {}",
                    name, value.type_name()));
  }
  for (const std::string& text : texts) {
    CheckSize(CountCharacters(text), limits.char_limit);
  }
  return texts;
}

void CheckKnown(const Json& parameters, const std::vector<std::string>& known) {
  for (const auto& [name, value] : parameters.items()) {
    CheckName("unknown parameter", name, known);
  }
}

std::vector<std::string> NamesOf(const Json& parameters, const char* parameter,
                                 const std::vector<std::string>& known) {
  const auto found = parameters.find(parameter);
  if (found == parameters.end() || found->is_null()) return {};
  const auto max = static_cast<int>(known.size());
  std::vector<std::string> names =
      TextsOf(*found, parameter, {.char_limit = 0, .batch_limit = max});
  for (const std::string& name : names) {
    CheckName(fmt::format("{} parameter has", parameter), name, known);
  }
  return names;
}

}  // namespace heed
