// Tokenised sentences as numbers: word ids, spelling, casing, and optionally
// pretrained word vectors.
#ifndef HEED_TEXT_WORDS_H_
#define HEED_TEXT_WORDS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/config.h"
#include "heed/tensor/tensor.h"
#include "heed/text/vocabulary.h"
#include "heed/text/word_vectors.h"

namespace heed {

using Words = std::vector<std::string>;

struct WordOptions {
  bool normalize_words = true;
  int min_count = 2;
  int max_words = 0;
  std::string word_vectors;  // file
  int max_vectors = 200000;

  void Visit(FieldList& v);
};

/// Number of casing classes: no letters, lower, Title, UPPER, miXed, and for
/// words with digits: without letters, with letters.
inline constexpr int32_t kCasings = 7;
int32_t CasingOf(std::string_view word);

/// Sentences as numbers. Equal words share one spelling.
struct WordCorpus {
  std::vector<std::vector<int32_t>> words;       ///< [sentence][word]
  std::vector<std::vector<int32_t>> spellings;   ///< [sentence][word]
  std::vector<std::vector<int32_t>> characters;  ///< [spelling][character]
  std::vector<int32_t> casings;                  ///< one per spelling
  std::vector<int32_t> vectors;  ///< one per spelling: row, or kNoVector
};

/// Vocabularies of words and characters. Immutable; copies share the tables.
class WordEncoder {
 public:
  /// `vectors`: null for none.
  WordEncoder(Vocabulary words, Vocabulary characters, bool normalize_words,
              std::shared_ptr<const WordVectors> vectors)
      : words_(std::move(words)),
        characters_(std::move(characters)),
        normalize_words_(normalize_words),
        vectors_(std::move(vectors)) {}
  /// Learns the words, and the characters with at least two occurrences; reads
  /// the file of vectors. Throws: ConfigError if nothing occurs often enough;
  /// as WordVectors::Read.
  static WordEncoder Train(std::span<const Words> sentences,
                           const WordOptions& options);

  /// Encodes sentences. Normalised words are lower-cased with 0 for each digit.
  /// A spelling has all original characters, or the first and last 20 of a word
  /// with more than 40.
  WordCorpus Encode(std::span<const Words> sentences) const;

  const Vocabulary& words() const { return words_; }
  const Vocabulary& characters() const { return characters_; }
  /// Word vectors; null: none.
  const WordVectors* vectors() const { return vectors_.get(); }

 private:
  Vocabulary words_;
  Vocabulary characters_;
  bool normalize_words_;
  std::shared_ptr<const WordVectors> vectors_;
};

/// A batch of B sentences, batch-first, padded at the end with kPad. All i32,
/// vectors f32.
struct WordBatch {
  Tensor words;       ///< [B, T]
  Tensor spelling;    ///< [B, T]: row of the three tensors below
  Tensor characters;  ///< [U, L], padded with kPad
  Tensor casings;     ///< [U]
  Tensor vectors;  ///< [U, D], 0 for words without a vector; undefined without
                   ///< vectors
  Tensor lengths;  ///< [B]
};

/// Batch of the sentences at `indices`, in that order. `vectors`: the
/// encoder's.
WordBatch MakeWordBatch(const WordCorpus& corpus, const WordVectors* vectors,
                        std::span<const int64_t> indices);

}  // namespace heed

#endif  // HEED_TEXT_WORDS_H_
