// Large JSON files, read element by element.
#ifndef HEED_BASE_JSON_ELEMENTS_H_
#define HEED_BASE_JSON_ELEMENTS_H_

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "heed/base/json.h"

namespace heed {

/// Parses a JSON object and calls `visit` for each element of its array `name`.
/// Only one element is in memory at a time; other members are skipped. The
/// limits are those of an element. Throws: FormatError as ParseJson, and if
/// there is no such array.
void ForEachJsonElement(
    std::string_view text, std::string_view source_name, std::string_view name,
    const std::function<void(int64_t index,
                             const nlohmann::ordered_json& element)>& visit,
    const JsonLimits& limits = {});

}  // namespace heed

#endif  // HEED_BASE_JSON_ELEMENTS_H_
