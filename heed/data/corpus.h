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

/// Files that pairs were read from, and how many.
struct TextOrigin {
  std::string source;
  std::string target;
  int64_t lines = 0;
};

/// Line i of `source` translates to line i of `target`.
struct ParallelText {
  std::vector<std::string> source;
  std::vector<std::string> target;
  /// Of text that was read: its files, in the order of the lines.
  std::vector<TextOrigin> origins = {};

  /// "file:12", of the source or the target of pair i.
  std::string PlaceOf(size_t i, bool of_source) const;
};

/// All rows of a file, of two texts each. Throws: as RowReader.
ParallelText ReadPairs(const RowFile& file);

struct CorpusOptions {
  /// Pairs with a longer side are dropped. Units: tokens without <s> and </s>;
  /// 0: no limit.
  int max_length = 0;
  bool lowercase = false;
};

/// Pairs of token ids. Every sequence ends with kEos.
struct Corpus {
  std::vector<std::vector<int32_t>> source;
  std::vector<std::vector<int32_t>> target;
  /// Of each pair, where it stood in the text; by EncodeCorpus.
  std::vector<int64_t> lines;
  int64_t dropped_long = 0;
  int64_t dropped_empty = 0;

  int64_t size() const { return static_cast<int64_t>(source.size()); }
};

/// The ids of EncodeSentence for each line, on all threads.
std::vector<std::vector<int32_t>> EncodeLines(
    std::span<const std::string> lines, const Vocabulary& vocabulary,
    bool lowercase);

/// Encodes the pairs, on all threads; drops those beyond the limit or with an
/// empty side, and keeps the order of the others.
Corpus EncodeCorpus(const ParallelText& text, const Vocabulary& source,
                    const Vocabulary& target, const CorpusOptions& options);

/// Tokens of a side of a pair beyond which its attention would not fit into
/// memory.
inline constexpr int kMostMeasuredTokens = 4000;

/// Pairs whose loss is measured: all but those of more than `most` tokens on a
/// side, which a warning on standard error counts.
Corpus EncodeMeasured(const ParallelText& text, const Vocabulary& source,
                      const Vocabulary& target,
                      int64_t most = kMostMeasuredTokens);

}  // namespace heed

#endif  // HEED_DATA_CORPUS_H_
