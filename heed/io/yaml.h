// YAML parser that returns JSON.
#ifndef HEED_IO_YAML_H_
#define HEED_IO_YAML_H_

#include <nlohmann/json.hpp>
#include <string_view>

#include "heed/base/json.h"

namespace heed {

/// The first document: maps as objects, sequences as arrays, scalars as
/// unchanged text ("true", "0.1"), because YAML versions interpret scalars
/// differently. An empty document is null, an empty value is empty text.
/// Throws: FormatError with source name and line for invalid YAML, anchors,
/// aliases, keys that occur twice or are not text, and content beyond the
/// limits.
nlohmann::ordered_json ParseYaml(std::string_view text,
                                 std::string_view source_name,
                                 const JsonLimits& limits = {});

}  // namespace heed

#endif  // HEED_IO_YAML_H_
