#include "heed/text/pieces.h"

#include <algorithm>
#include <limits>
#include <string>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

constexpr int kMarks = 2;
constexpr int64_t kPiecesPerChunk = 64;

using Pieces = std::span<const int32_t>;

/// Pieces of each word, truncated to `room`.
std::vector<Pieces> PiecesOf(const EncodedWords& encoded, size_t room) {
  const Pieces ids = encoded.ids;
  std::vector<Pieces> words;
  for (size_t t = 0; t < encoded.first.size(); ++t) {
    const auto begin = static_cast<size_t>(encoded.first[t]);
    const size_t end = t + 1 < encoded.first.size()
                           ? static_cast<size_t>(encoded.first[t + 1])
                           : ids.size();
    words.push_back(ids.subspan(begin, std::min(end - begin, room)));
  }
  return words;
}

/// End of the words from `begin` on that fit into `room`.
size_t EndOf(std::span<const Pieces> words, size_t begin, size_t room) {
  size_t end = begin;
  for (size_t used = 0; end < words.size() && used + words[end].size() <= room;
       ++end) {
    used += words[end].size();
  }
  return end;
}

/// Start of the chunk after one that ends before word `end`.
size_t NextBegin(std::span<const Pieces> words, size_t end, size_t room) {
  const size_t shared = std::min(room / 4, room - words[end].size());
  size_t begin = end;
  for (size_t used = 0; begin > 0 && used + words[begin - 1].size() <= shared;
       --begin) {
    used += words[begin - 1].size();
  }
  return begin;
}

/// Batch sizes: chunks, tokens of the longest chunk, words of the longest
/// sentence.
struct BatchSizes {
  int64_t R = 0;
  int64_t S = 0;
  int64_t T = 1;
};

int64_t CountWords(const std::vector<PieceChunk>& chunks) {
  int64_t words = 0;
  for (const PieceChunk& chunk : chunks) words += std::ssize(chunk.first);
  return words;
}

BatchSizes SizesOf(const PieceCorpus& corpus,
                   std::span<const int64_t> indices) {
  BatchSizes sizes;
  for (const int64_t i : indices) {
    const std::vector<PieceChunk>& chunks = At(corpus, i);
    sizes.R += std::ssize(chunks);
    sizes.T = std::max(sizes.T, CountWords(chunks));
    for (const PieceChunk& chunk : chunks) {
      sizes.S = std::max(sizes.S, std::ssize(chunk.ids));
    }
  }
  return sizes;
}

}  // namespace

std::vector<PieceChunk> CutIntoPieces(const Vocabulary& vocabulary,
                                      const Words& sentence,
                                      const PieceOptions& options) {
  if (options.max_length != 0 && options.max_length <= kMarks) {
    throw ConfigError(
        "max_length: {} tokens, but two special tokens and a "
        "subword are {}; 0 means no limit",
        options.max_length, kMarks + 1);
  }
  Words lower;
  if (options.lowercase) {
    for (const std::string& word : sentence) lower.push_back(Lowercase(word));
  }
  const EncodedWords encoded =
      vocabulary.EncodeWords(options.lowercase ? lower : sentence);
  const size_t room = options.max_length == 0
                          ? std::numeric_limits<size_t>::max()
                          : static_cast<size_t>(options.max_length - kMarks);
  const std::vector<Pieces> words = PiecesOf(encoded, room);
  std::vector<PieceChunk> chunks;
  size_t read = 0;  // number of encoded words
  for (size_t begin = 0, next = 0; chunks.empty() || read < words.size();
       begin = next) {
    const size_t end = EndOf(words, begin, room);
    const bool last = end == words.size();
    next = last ? end : NextBegin(words, end, room);
    const size_t border = std::max(read, last ? end : (next + end) / 2);
    PieceChunk& chunk = chunks.emplace_back();
    chunk.ids.push_back(vocabulary.special().bos);
    for (size_t t = begin; t < end; ++t) {
      if (t >= read && t < border) {
        chunk.first.push_back(static_cast<int32_t>(chunk.ids.size()));
      }
      chunk.ids.insert(chunk.ids.end(), words[t].begin(), words[t].end());
    }
    chunk.ids.push_back(vocabulary.special().eos);
    read = border;
  }
  return chunks;
}

PieceCorpus EncodePieces(const Vocabulary& vocabulary,
                         std::span<const Words> sentences,
                         const PieceOptions& options) {
  PieceCorpus corpus(sentences.size());
  ParallelForEach(std::ssize(sentences), kPiecesPerChunk, [&](int64_t n) {
    const auto i = static_cast<size_t>(n);
    corpus[i] = CutIntoPieces(vocabulary, sentences[i], options);
  });
  return corpus;
}

PieceBatch MakePieceBatch(const PieceCorpus& corpus,
                          std::span<const int64_t> indices) {
  const auto [R, S, T] = SizesOf(corpus, indices);
  const int64_t B = std::ssize(indices);
  PieceBatch batch;
  batch.ids = Tensor::Full({R, S}, kPad, DType::kI32);
  batch.chunk_lengths = Tensor::Zeros({R}, DType::kI32);
  batch.first = Tensor::Zeros({B, T}, DType::kI32);
  batch.start = Tensor::Zeros({B}, DType::kI32);
  batch.lengths = Tensor::Zeros({B}, DType::kI32);
  int64_t r = 0;
  for (int64_t b = 0; b < B; ++b) {
    const auto i = static_cast<size_t>(At(indices, b));
    int32_t* first = batch.first.row<int32_t>(b);
    batch.start.data<int32_t>()[b] = static_cast<int32_t>(r * S);
    batch.lengths.data<int32_t>()[b] =
        static_cast<int32_t>(CountWords(corpus[i]));
    for (const PieceChunk& chunk : corpus[i]) {
      std::ranges::copy(chunk.ids, batch.ids.row<int32_t>(r));
      batch.chunk_lengths.data<int32_t>()[r] =
          static_cast<int32_t>(chunk.ids.size());
      for (const int32_t place : chunk.first) {
        *first++ = static_cast<int32_t>(r * S) + place;
      }
      ++r;
    }
  }
  return batch;
}

}  // namespace heed
