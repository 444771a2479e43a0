#include "heed/text/word_tokens.h"

#include <algorithm>
#include <string>
#include <utility>

#include "heed/base/text.h"
#include "heed/text/subwords.h"

namespace heed {
std::vector<int32_t> WordsOfPieces(std::span<const std::string> pieces,
                                   VocabularyKind kind) {
  std::vector<int32_t> words;
  if (pieces.empty()) return words;
  int32_t word = -1;
  bool inside = false;
  for (const std::string& piece : pieces.first(pieces.size() - 1)) {
    if (kind == VocabularyKind::kWords) {
      words.push_back(++word);
    } else if (kind == VocabularyKind::kCharacters) {
      const bool space = SplitWhitespace(piece).empty();
      if (!space && !inside) ++word;
      inside = !space;
      words.push_back(space ? -1 : word);
    } else {
      if (piece.starts_with(kSpaceMark) || word < 0) ++word;
      words.push_back(word);
    }
  }
  words.push_back(-1);  // </s>
  return words;
}

int32_t WordTokens::word_count() const {
  return words.empty() ? 0 : *std::ranges::max_element(words) + 1;
}

WordTokens EncodeWordTokens(const Vocabulary& vocabulary,
                            std::string_view line) {
  Encoded encoded = EncodeSentence(vocabulary, line, false);
  WordTokens tokens = {std::move(encoded.ids),
                       WordsOfPieces(encoded.pieces, vocabulary.kind())};
  const std::vector<std::string_view> words = SplitWhitespace(line);
  if (tokens.word_count() == static_cast<int32_t>(words.size())) return tokens;
  const EncodedWords each = vocabulary.EncodeWords(
      std::vector<std::string>(words.begin(), words.end()));
  tokens = {each.ids, {}};
  for (size_t i = 0; i < words.size(); ++i) {
    const auto begin = static_cast<size_t>(each.first[i]);
    const size_t end = i + 1 < words.size()
                           ? static_cast<size_t>(each.first[i + 1])
                           : each.ids.size();
    tokens.words.insert(tokens.words.end(), end - begin,
                        static_cast<int32_t>(i));
  }
  if (const int32_t eos = vocabulary.special().eos; eos >= 0) {
    tokens.ids.push_back(eos);
    tokens.words.push_back(-1);
  }
  return tokens;
}

std::optional<WordTokens> FindWords(const Vocabulary& vocabulary,
                                    std::span<const int32_t> ids,
                                    int32_t words) {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) pieces.push_back(vocabulary.Piece(id));
  WordTokens tokens = {{ids.begin(), ids.end()},
                       WordsOfPieces(pieces, vocabulary.kind())};
  if (tokens.word_count() != words) return std::nullopt;
  return tokens;
}

}  // namespace heed
