// Plain text as a language model learns it: line by line, or in blocks of one
// stream.
#ifndef HEED_DATA_TEXT_BLOCKS_H_
#define HEED_DATA_TEXT_BLOCKS_H_

#include <span>
#include <string>

#include "heed/data/corpus.h"

namespace heed {

struct TextBlockOptions {
  /// Longer pieces are cut. Units: tokens, </s> included
  int length = 256;
  /// One line after the other, so that a model learns what follows a line;
  /// else each line begins anew.
  bool stream = false;
  bool lowercase = false;
};

/// The text as a Corpus of targets without sources, which PlanBatches and
/// MakeBatch take: a batch's target_in starts with <s>, target_out is the same
/// one step later. Every line ends with kEos. Each token stands in one block
/// and is predicted once, from <s> and what stands before it in its block.
/// Lines without a token are left out (dropped_empty).
/// Throws: ConfigError for a length below 1, or if no token is left.
Corpus EncodeTextBlocks(std::span<const std::string> lines,
                        const Vocabulary& vocabulary,
                        const TextBlockOptions& options);
/// The same of a part of a text, which may have no token.
Corpus EncodePartInBlocks(std::span<const std::string> lines,
                          const Vocabulary& vocabulary,
                          const TextBlockOptions& options);

}  // namespace heed

#endif  // HEED_DATA_TEXT_BLOCKS_H_
