// Reader of tokenizer.json.
#ifndef HEED_TEXT_TOKENIZER_TOKENIZER_FILE_H_
#define HEED_TEXT_TOKENIZER_TOKENIZER_FILE_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "heed/text/tokenizer/model.h"

namespace heed::tokens {

/// Content of tokenizer.json. Vocabulary and merges, which can have millions
/// of values, are not part of `parts`.
struct TokenizerFile {
  nlohmann::ordered_json parts;
  ModelTables tables;
};

/// Limit of ids in a file of this size, so that memory is proportional to it.
uint64_t MostRows(size_t bytes);

/// Parses a file. Throws: FormatError that names `name` and the place, for
/// invalid JSON, an unknown version, a token or an id that stands twice, or
/// exceeded limits.
TokenizerFile ReadTokenizerFile(std::string_view json, const std::string& name);

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_TOKENIZER_FILE_H_
