#include "heed/attention/part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include "heed/base/errors.h"

namespace heed {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0]))) {
    text.remove_prefix(1);
  }
  while (!text.empty() &&
         std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

double ParseNumber(std::string_view text, const std::string& whole) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(value)) {
    throw ConfigError("'{}' is not a number in '{}'", text, whole);
  }
  return value;
}

}  // namespace

PartText ParsePart(const std::string& text) {
  const std::string_view trimmed = Trim(text);
  const size_t open = trimmed.find('(');
  PartText part;
  part.name = Trim(trimmed.substr(0, open));
  if (part.name.empty() ||
      (open != std::string_view::npos && !trimmed.ends_with(')'))) {
    throw ConfigError(
        "'{}' is not a name, or a name with numbers as in 'window(16)'", text);
  }
  if (open == std::string_view::npos) return part;
  std::string_view rest =
      Trim(trimmed.substr(open + 1, trimmed.size() - open - 2));
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    part.arguments.push_back(ParseNumber(Trim(rest.substr(0, comma)), text));
    if (comma == std::string_view::npos) break;
    rest = Trim(rest.substr(comma + 1));
    if (rest.empty()) ParseNumber(rest, text);  // trailing comma
  }
  return part;
}

std::vector<double> CompleteArguments(
    const std::string& kind, const PartText& given,
    const std::vector<PartArgument>& arguments) {
  if (given.arguments.size() > arguments.size()) {
    throw ConfigError("{} '{}' takes {} numbers, not {}", kind, given.name,
                      arguments.size(), given.arguments.size());
  }
  std::vector<double> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const PartArgument& argument = arguments[i];
    const double value =
        i < given.arguments.size() ? given.arguments[i] : argument.initial;
    if (!(value >= argument.minimum && value <= argument.maximum)) {
      throw ConfigError("{} '{}': {} must be from {} to {}, not {}", kind,
                        given.name, argument.name, argument.minimum,
                        argument.maximum, value);
    }
    values.push_back(value);
  }
  return values;
}

void ThrowUnknownPart(std::string_view kind, std::string_view name,
                      const std::vector<std::string>& names) {
  throw ConfigError("unknown {} '{}'; there are {}", kind, name,
                    fmt::join(names, ", "));
}

}  // namespace heed
