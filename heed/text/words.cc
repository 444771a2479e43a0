#include "heed/text/words.h"

#include <algorithm>
#include <unordered_map>

#include "heed/base/at.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"

namespace heed {
namespace {

constexpr size_t kMaxCharacters = 40;
constexpr int kMinCharacterCount = 2;

bool IsDigit(std::string_view character) {
  return character.size() == 1 && character[0] >= '0' && character[0] <= '9';
}

/// True for letters; all non-ASCII characters count as letters.
bool IsLetter(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  const unsigned char lower = first | 0x20;
  return first >= 0x80 || (lower >= 'a' && lower <= 'z');
}

// Key for comparing words; it has no spaces, because tokens have none.
std::string KeyOf(std::string_view word, bool normalize) {
  std::string key = normalize ? Lowercase(word) : std::string(word);
  for (char& c : key) {
    if (normalize && c >= '0' && c <= '9') c = '0';
    if (c == ' ') c = '_';
  }
  return key;
}

std::vector<int32_t> SpellingOf(const Vocabulary& characters,
                                std::string_view word) {
  std::vector<int32_t> ids = characters.Encode(word);
  if (ids.size() > kMaxCharacters) {
    const auto half = static_cast<std::ptrdiff_t>(kMaxCharacters / 2);
    ids.erase(ids.begin() + half, ids.end() - half);
  }
  return ids;
}

Tensor Zeros(int64_t rows, size_t columns) {
  return Tensor::Zeros({rows, static_cast<int64_t>(columns)}, DType::kI32);
}

template <typename Rows>
size_t Longest(const Rows& rows) {
  size_t longest = 1;
  for (const auto* row : rows) longest = std::max(longest, row->size());
  return longest;
}

}  // namespace

void WordOptions::Visit(FieldList& v) {
  v("normalize_words", normalize_words,
    "lower-case words and replace digits by 0; their characters keep both");
  v("min_count", min_count, AtLeast(1),
    "treat words that occur fewer than N times as unknown");
  v("max_words", max_words, AtLeast(0),
    "maximum known words, the most frequent ones; 0: all");
  v("word_vectors", word_vectors, Any{"FILE"},
    "frozen pretrained word embeddings, in addition to the learnt ones, in the "
    "text format of word2vec, GloVe or fastText (.gz too)");
  v("max_vectors", max_vectors, AtLeast(0),
    "maximum words to read from --word-vectors; 0: all")
      .If(!word_vectors.empty(), "--word-vectors");
}

int32_t CasingOf(std::string_view word) {
  int64_t letters = 0;
  int64_t upper = 0;
  bool digits = false;
  bool title = false;
  for (const std::string_view character : Utf8Characters(word)) {
    digits |= IsDigit(character);
    if (!IsLetter(character)) continue;
    const bool is_upper = Lowercase(character) != character;
    title |= letters == 0 && is_upper;
    upper += is_upper ? 1 : 0;
    ++letters;
  }
  if (digits) return letters == 0 ? 5 : 6;
  if (letters == 0) return 0;
  if (upper == 0) return 1;
  if (title && upper == 1) return 2;
  return upper == letters ? 3 : 4;
}

WordEncoder WordEncoder::Train(std::span<const Words> sentences,
                               const WordOptions& options) {
  std::vector<std::string> words;
  std::vector<std::string> spellings;
  for (const Words& sentence : sentences) {
    for (const std::string& word : sentence) {
      words.push_back(KeyOf(NormalForm(word), options.normalize_words));
      spellings.push_back(word);
    }
  }
  const int size =
      options.max_words == 0 ? 0 : options.max_words + kSpecialTokens;
  return WordEncoder(Vocabulary::Train(words, {VocabularyKind::kWords, size,
                                               options.min_count}),
                     Vocabulary::Train(spellings, {VocabularyKind::kCharacters,
                                                   0, kMinCharacterCount}),
                     options.normalize_words,
                     options.word_vectors.empty()
                         ? nullptr
                         : std::make_shared<WordVectors>(WordVectors::Read(
                               options.word_vectors, options.max_vectors)));
}

WordCorpus WordEncoder::Encode(std::span<const Words> sentences) const {
  struct Known {
    int32_t word;
    int32_t spelling;
  };
  std::unordered_map<std::string_view, Known> known;
  WordCorpus corpus;
  const auto learn = [&](const std::string& word) {
    const std::string normal = words_.Normalized(word);
    const std::vector<int32_t> ids =
        words_.Encode(KeyOf(normal, normalize_words_));
    const auto spelling = static_cast<int32_t>(corpus.characters.size());
    corpus.characters.push_back(SpellingOf(characters_, normal));
    corpus.casings.push_back(CasingOf(normal));
    corpus.vectors.push_back(vectors_ ? vectors_->Find(normal) : kNoVector);
    return Known{ids.size() == 1 ? ids[0] : kUnk, spelling};
  };
  for (const Words& sentence : sentences) {
    std::vector<int32_t>& words = corpus.words.emplace_back();
    std::vector<int32_t>& spellings = corpus.spellings.emplace_back();
    for (const std::string& word : sentence) {
      auto found = known.find(word);
      if (found == known.end()) found = known.emplace(word, learn(word)).first;
      words.push_back(found->second.word);
      spellings.push_back(found->second.spelling);
    }
  }
  return corpus;
}

WordBatch MakeWordBatch(const WordCorpus& corpus, const WordVectors* vectors,
                        std::span<const int64_t> indices) {
  const auto b_size = static_cast<int64_t>(indices.size());
  std::vector<const std::vector<int32_t>*> rows;
  for (const int64_t i : indices) {
    rows.push_back(&At(corpus.words, i));
  }
  WordBatch batch;
  batch.words = Zeros(b_size, Longest(rows));
  batch.spelling = Zeros(b_size, Longest(rows));
  batch.lengths = Tensor::Zeros({b_size}, DType::kI32);
  std::unordered_map<int32_t, int32_t> places;
  std::vector<const std::vector<int32_t>*> characters;
  std::vector<int32_t> casings;
  std::vector<int32_t> rows_of_vectors;
  for (int64_t b = 0; b < b_size; ++b) {
    const auto i = static_cast<size_t>(At(indices, b));
    const std::vector<int32_t>& spellings = corpus.spellings[i];
    std::ranges::copy(corpus.words[i], batch.words.row<int32_t>(b));
    batch.lengths.data<int32_t>()[b] = static_cast<int32_t>(spellings.size());
    for (size_t t = 0; t < spellings.size(); ++t) {
      const auto next = static_cast<int32_t>(characters.size());
      const auto [place, added] = places.emplace(spellings[t], next);
      if (added) {
        const auto spelling = static_cast<size_t>(spellings[t]);
        characters.push_back(&corpus.characters[spelling]);
        casings.push_back(corpus.casings[spelling]);
        rows_of_vectors.push_back(corpus.vectors[spelling]);
      }
      batch.spelling.row<int32_t>(b)[t] = place->second;
    }
  }
  // Padding looks up row 0, which must exist.
  static const std::vector<int32_t> kNothing;
  if (characters.empty()) {
    characters.push_back(&kNothing);
    casings.push_back(0);
    rows_of_vectors.push_back(kNoVector);
  }
  const auto u_size = static_cast<int64_t>(characters.size());
  batch.characters = Zeros(u_size, Longest(characters));
  for (int64_t u = 0; u < u_size; ++u) {
    const std::vector<int32_t>& from = *At(characters, u);
    std::ranges::copy(from, batch.characters.row<int32_t>(u));
  }
  batch.casings = Tensor::Of(casings, {u_size});
  if (vectors != nullptr) {
    batch.vectors = vectors->Gather(rows_of_vectors);
  }
  return batch;
}

}  // namespace heed
