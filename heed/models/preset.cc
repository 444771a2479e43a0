#include "heed/models/preset.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

using Value = std::pair<std::string, std::string>;

std::vector<Value> ParsePreset(std::string_view preset) {
  std::vector<Value> values;
  for (const auto& word : SplitWhitespace(preset)) {
    const size_t sign = word.find('=');
    values.emplace_back(word.substr(0, sign), word.substr(sign + 1));
  }
  return values;
}

const Field& FieldOf(const std::vector<Field>& fields, const std::string& key) {
  const Field* field = FindField(fields, key);
  if (field != nullptr) return *field;
  throw ConfigError("preset: there is no setting '{}'", key);
}

bool IsOpen(const Field& field) {
  const nlohmann::ordered_json value = field.Value();
  if (value.is_string()) return value == "auto";
  const auto* range = std::get_if<Range>(&field.constraint);
  if (range == nullptr || !value.is_number()) return false;
  return value < 0 || value == range->min;
}

}  // namespace

void SetPreset(const std::vector<Field>& fields, std::string_view preset) {
  for (const auto& [key, value] : ParsePreset(preset)) {
    FieldOf(fields, key).SetText({value}, key);
  }
}

void SetPresetIfKnown(const std::vector<Field>& fields,
                      std::string_view preset) {
  const std::vector<Value> values = ParsePreset(preset);
  const bool known =
      std::all_of(values.begin(), values.end(), [&](const Value& value) {
        return FindField(fields, value.first) != nullptr;
      });
  if (known) SetPreset(fields, preset);
}

void FillPreset(const std::vector<Field>& fields, std::string_view preset) {
  std::vector<std::string> filled;
  for (const auto& [key, value] : ParsePreset(preset)) {
    if (std::find(filled.begin(), filled.end(), key) != filled.end()) continue;
    filled.push_back(key);
    const Field& field = FieldOf(fields, key);
    if (IsOpen(field)) field.SetText({value}, key);
  }
}

}  // namespace heed
