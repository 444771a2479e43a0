// Training text of language models: line by line, or blocks of a stream.
#ifndef HEED_DATA_TEXT_BLOCKS_H_
#define HEED_DATA_TEXT_BLOCKS_H_

#include <span>
#include <string>

#include "heed/data/corpus.h"

namespace heed {

struct TextBlockOptions {
  /// Maximum length; longer sequences are split. Units: tokens, including </s>
  int length = 256;
  /// Concatenate all lines, so that the model learns which line follows;
  /// otherwise each line is a sequence.
  bool stream = false;
  bool lowercase = false;
};

/// Encodes text as a Corpus of targets without sources, for PlanBatches and
/// MakeBatch: target_in of a batch starts with <s>, and target_out is one step
/// ahead. Every line ends with the end token. Each token is in one block and
/// predicted once, from <s> and the preceding tokens of its block. In a
/// vocabulary without <s>, the first token of a block is not predicted. Lines
/// without a token are dropped (dropped_empty). Throws: ConfigError for a
/// length below 1, or if no token remains.
Corpus EncodeTextBlocks(std::span<const std::string> lines,
                        const Vocabulary& vocabulary,
                        const TextBlockOptions& options);
/// EncodeTextBlocks for a part of a text, which may have no token.
Corpus EncodePartInBlocks(std::span<const std::string> lines,
                          const Vocabulary& vocabulary,
                          const TextBlockOptions& options);

}  // namespace heed

#endif  // HEED_DATA_TEXT_BLOCKS_H_
