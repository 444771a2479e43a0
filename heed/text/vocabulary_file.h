// The file of a vocabulary of an imported tokenizer.
#ifndef HEED_TEXT_VOCABULARY_FILE_H_
#define HEED_TEXT_VOCABULARY_FILE_H_

#include <string>

#include "heed/base/shared_bytes.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// A tokenizer with the special tokens of its model.
struct StoredTokenizer {
  Tokenizer tokenizer;
  SpecialIds special;
};

/// A line of JSON with the special ids, padded with spaces to a multiple of 16
/// bytes, then the compact form of the tokenizer.
std::string WriteTokenizerFile(const Tokenizer& tokenizer,
                               const SpecialIds& special);
/// Reads the result of WriteTokenizerFile. Throws: FormatError that names
/// `name`, also for ids that the tokenizer does not have.
StoredTokenizer ReadTokenizerFile(const SharedBytes& file,
                                  const std::string& name);

}  // namespace heed

#endif  // HEED_TEXT_VOCABULARY_FILE_H_
