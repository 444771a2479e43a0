#include "heed/data/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"
#include "heed/text/copied_tokens.h"

namespace heed {
namespace {

constexpr int64_t kLinesPerChunk = 256;

using IdsOfLines = std::vector<std::vector<int32_t>>;

/// Ids of both sides of each pair.
std::pair<IdsOfLines, IdsOfLines> EncodePairs(const ParallelText& text,
                                              const Vocabulary& source,
                                              const Vocabulary& target,
                                              const CorpusOptions& options) {
  if (!options.copies) {
    return {EncodeLines(text.source, source, options.lowercase),
            EncodeLines(text.target, target, options.lowercase)};
  }
  IdsOfLines sources(text.source.size());
  IdsOfLines targets(text.target.size());
  ParallelForEach(std::ssize(sources), kLinesPerChunk, [&](int64_t n) {
    const auto i = static_cast<size_t>(n);
    Encoded read =
        EncodeCopiedSource(source, text.source[i], options.lowercase);
    targets[i] = EncodeCopiedTarget(target, text.target[i], options.lowercase,
                                    read.pieces)
                     .ids;
    sources[i] = std::move(read.ids);
  });
  return {std::move(sources), std::move(targets)};
}

}  // namespace

std::string ParallelText::PlaceOf(size_t i, bool of_source) const {
  auto line = static_cast<int64_t>(i);
  for (const TextOrigin& origin : origins) {
    if (line < origin.lines) {
      return fmt::format("{}:{}", of_source ? origin.source : origin.target,
                         line + 1);
    }
    line -= origin.lines;
  }
  return fmt::format("line {}", i + 1);
}

ParallelText ReadPairs(const RowFile& file) {
  ParallelText text;
  const std::unique_ptr<RowReader> rows = file.open();
  for (TableRow row; rows->Next(row);) {
    text.source.push_back(std::move(row.front()));
    text.target.push_back(std::move(row.back()));
  }
  text.origins = {
      {file.paths.front(), file.paths.back(), std::ssize(text.source)}};
  return text;
}

std::vector<std::vector<int32_t>> EncodeLines(
    std::span<const std::string> lines, const Vocabulary& vocabulary,
    bool lowercase) {
  std::vector<std::vector<int32_t>> ids(lines.size());
  const int32_t eos = vocabulary.special().eos;
  ParallelFor(
      std::ssize(lines), kLinesPerChunk, [&](int64_t begin, int64_t end) {
        const auto part = lines.subspan(static_cast<size_t>(begin),
                                        static_cast<size_t>(end - begin));
        std::vector<std::string> lower;
        if (lowercase) {
          for (const std::string& line : part) lower.push_back(Lowercase(line));
        }
        auto encoded = vocabulary.EncodeAll(
            lowercase ? std::span<const std::string>(lower) : part);
        for (size_t i = 0; i < encoded.size(); ++i) {
          if (eos >= 0) encoded[i].push_back(eos);
          ids[static_cast<size_t>(begin) + i] = std::move(encoded[i]);
        }
      });
  return ids;
}

Corpus EncodeCorpus(const ParallelText& text, const Vocabulary& source,
                    const Vocabulary& target, const CorpusOptions& options) {
  auto [source_ids, target_ids] = EncodePairs(text, source, target, options);
  const size_t limit = static_cast<size_t>(options.max_length);
  Corpus corpus;
  corpus.start = target.special().bos;
  const size_t source_end = source.special().eos < 0 ? 0 : 1;
  const size_t target_end = target.special().eos < 0 ? 0 : 1;
  for (size_t i = 0; i < source_ids.size(); ++i) {
    const auto [shorter, longer] = std::minmax(
        {source_ids[i].size() - source_end, target_ids[i].size() - target_end});
    if (shorter == 0) {
      ++corpus.dropped_empty;
    } else if (limit > 0 && longer > limit) {
      ++corpus.dropped_long;
    } else {
      corpus.source.push_back(std::move(source_ids[i]));
      corpus.target.push_back(std::move(target_ids[i]));
      corpus.lines.push_back(static_cast<int64_t>(i));
    }
  }
  return corpus;
}

Corpus EncodeMeasured(const ParallelText& text, const Vocabulary& source,
                      const Vocabulary& target, int64_t max, bool copies) {
  CorpusOptions options;
  options.max_length = static_cast<int>(max);
  options.copies = copies;
  Corpus corpus = EncodeCorpus(text, source, target, options);
  if (corpus.dropped_long == 0) return corpus;
  for (size_t i = 0; i < text.source.size(); ++i) {
    const auto longer = std::ssize(std::max(
        source.Encode(text.source[i]), target.Encode(text.target[i]),
        [](const auto& a, const auto& b) { return a.size() < b.size(); }));
    if (longer <= max) continue;
    const std::string others =
        corpus.dropped_long > 1
            ? fmt::format(" and {} other pairs", corpus.dropped_long - 1)
            : "";
    Warn(fmt::format("{}{}: more than {} tokens; left out of the loss",
                     text.PlaceOf(i, true), others, max));
    break;
  }
  return corpus;
}

}  // namespace heed
