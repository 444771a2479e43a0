#include "heed/data/text_blocks.h"

#include <algorithm>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

/// Appends `ids` as blocks of at most `length` tokens.
void AddBlocks(const std::vector<int32_t>& ids, size_t length, Corpus& corpus) {
  for (size_t begin = 0; begin < ids.size(); begin += length) {
    const size_t end = std::min(ids.size(), begin + length);
    corpus.target.emplace_back(ids.begin() + static_cast<long>(begin),
                               ids.begin() + static_cast<long>(end));
  }
}

}  // namespace

Corpus EncodeTextBlocks(std::span<const std::string> lines,
                        const Vocabulary& vocabulary,
                        const TextBlockOptions& options) {
  Corpus corpus = EncodePartInBlocks(lines, vocabulary, options);
  if (corpus.target.empty()) {
    throw ConfigError("text blocks: {} lines without a token", lines.size());
  }
  return corpus;
}

Corpus EncodePartInBlocks(std::span<const std::string> lines,
                          const Vocabulary& vocabulary,
                          const TextBlockOptions& options) {
  if (options.length < 1) {
    throw ConfigError(
        "text blocks: a length of {} tokens; at least 1 is needed",
        options.length);
  }
  const std::vector<std::vector<int32_t>> ids =
      EncodeLines(lines, vocabulary, options.lowercase);
  Corpus corpus;
  corpus.start = vocabulary.special().bos;
  const size_t ends = vocabulary.special().eos < 0 ? 0 : 1;
  std::vector<int32_t> stream;
  const auto length = static_cast<size_t>(options.length);
  for (const std::vector<int32_t>& line : ids) {
    if (line.size() == ends) {
      ++corpus.dropped_empty;
    } else if (options.stream) {
      stream.insert(stream.end(), line.begin(), line.end());
    } else {
      AddBlocks(line, length, corpus);
    }
  }
  AddBlocks(stream, length, corpus);
  corpus.source.resize(corpus.target.size());
  return corpus;
}

}  // namespace heed
