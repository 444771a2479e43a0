// YAML files, as JSON.
#ifndef HEED_IO_YAML_H_
#define HEED_IO_YAML_H_

#include <nlohmann/json.hpp>
#include <string_view>

#include "heed/base/json.h"

namespace heed {

/// The first document: maps as objects, sequences as arrays, and every scalar
/// as the text that it is ("true", "0.1"), for YAML's own rules of what a text
/// means differ between its versions; nothing is null.
/// Throws: FormatError with source name and line for what is not YAML, and for
/// anchors, aliases, keys that stand twice or are not texts, and more than the
/// limits.
nlohmann::ordered_json ParseYaml(std::string_view text,
                                 std::string_view source_name,
                                 const JsonLimits& limits = {});

}  // namespace heed

#endif  // HEED_IO_YAML_H_
