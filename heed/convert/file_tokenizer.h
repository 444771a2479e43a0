// Tokenizers of Hugging Face folders as vocabularies.
#ifndef HEED_CONVERT_FILE_TOKENIZER_H_
#define HEED_CONVERT_FILE_TOKENIZER_H_

#include <cstdint>
#include <string>

#include "heed/convert/mapped_vocabulary.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// Purpose of a text's special tokens.
enum class TokenizerUse : uint8_t {
  kGenerate,  ///< texts begin with the template's token and end by generation
  kEncode     ///< texts stand between the template's first and last token
};

/// Reads tokenizer.json with tokenizer_config.json, and for kGenerate the ends
/// of generation_config.json or config.json. `rows`: rows of the embedding.
/// Throws: IoError; FormatError with the file and the unsupported part, or for
/// an id at or above `rows`.
Vocabulary ReadFileTokenizer(const std::string& folder, TokenizerUse use,
                             int64_t rows, Notes& notes);

}  // namespace heed

#endif  // HEED_CONVERT_FILE_TOKENIZER_H_
