// Parallel text: pairs of sentences, as lines and as token ids.
#ifndef HEED_DATA_CORPUS_H_
#define HEED_DATA_CORPUS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/row_reader.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// Files of parallel text, with their number of pairs.
struct TextOrigin {
  std::string source;
  std::string target;
  int64_t lines = 0;
};

/// Parallel text: line i of `source` translates to line i of `target`.
struct ParallelText {
  std::vector<std::string> source;
  std::vector<std::string> target;
  /// Files in the order of their lines; empty if the text is not from files.
  std::vector<TextOrigin> origins = {};

  /// Place of pair i in its source or target file: "file:12".
  std::string PlaceOf(size_t i, bool of_source) const;
};

/// Reads all rows of a file with two texts each. Throws: as RowReader.
ParallelText ReadPairs(const RowFile& file);

struct CorpusOptions {
  /// Maximum tokens per side, without <s> and </s>; longer pairs are dropped.
  /// 0: no limit.
  int max_length = 0;
  bool lowercase = false;
  /// Temporary ids for tokens that a decoder copies (see copied_tokens.h).
  bool copies = false;
};

/// Pairs of token ids. Each sequence ends with the end token of its vocabulary,
/// if there is one.
struct Corpus {
  std::vector<std::vector<int32_t>> source;
  std::vector<std::vector<int32_t>> target;
  /// Token that a decoder reads before each target; −1: none, so that the first
  /// token of a target is read but not predicted.
  int32_t start = kBos;
  /// Index of each pair in the text. Set by EncodeCorpus.
  std::vector<int64_t> lines;
  int64_t dropped_long = 0;
  int64_t dropped_empty = 0;

  int64_t size() const { return static_cast<int64_t>(source.size()); }
};

/// Encodes each line as EncodeSentence does, on all threads.
std::vector<std::vector<int32_t>> EncodeLines(
    std::span<const std::string> lines, const Vocabulary& vocabulary,
    bool lowercase);

/// Encodes pairs on all threads. Drops pairs above the limit or with an empty
/// side, and keeps the order of the others.
Corpus EncodeCorpus(const ParallelText& text, const Vocabulary& source,
                    const Vocabulary& target, const CorpusOptions& options);

/// Maximum tokens on a side of a pair for which attention fits into memory.
inline constexpr int kMaxMeasuredTokens = 4000;

/// Encodes pairs to compute their loss, without pairs of more than `max`
/// tokens on a side, which are counted in a warning. `copies`: see
/// CorpusOptions.
Corpus EncodeMeasured(const ParallelText& text, const Vocabulary& source,
                      const Vocabulary& target,
                      int64_t max = kMaxMeasuredTokens, bool copies = false);

}  // namespace heed

#endif  // HEED_DATA_CORPUS_H_
