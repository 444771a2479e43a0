// Arbitrary text through every tokenizer, trained on a few lines. No text is
// refused, even if it is not UTF-8.
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/text/vocabulary.h"
#include "heed/text/wordpiece.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

std::vector<Vocabulary> Learn() {
  std::vector<std::string> lines;
  for (int i = 0; i < 40; ++i) {
    lines.push_back(fmt::format("ein mann schläft, {} a man sleeps!", i));
    lines.push_back(fmt::format("Über {} Straßen - 東京 {}", i, i * 7));
  }
  std::vector<Vocabulary> all;
  for (const VocabularyKind kind :
       {VocabularyKind::kUnigram, VocabularyKind::kBpe, VocabularyKind::kWords,
        VocabularyKind::kCharacters, VocabularyKind::kWordPiece,
        VocabularyKind::kWordPieceCased}) {
    const bool free_size =
        kind == VocabularyKind::kWords || kind == VocabularyKind::kCharacters;
    VocabularyOptions options = {.kind = kind, .size = free_size ? 0 : 70};
    all.push_back(Vocabulary::Train(lines, options));
    if (!IsSubword(kind)) continue;
    options.byte_fallback = true;
    options.size = kind == VocabularyKind::kBpe ? 330 : 320;
    all.push_back(Vocabulary::Train(lines, options));
  }
  return all;
}

void Tokenize(std::string_view text) {
  static const std::vector<Vocabulary> vocabularies = Learn();
  for (const Vocabulary& vocabulary : vocabularies) {
    const Encoded encoded = vocabulary.EncodeWithPieces(text);
    Require(encoded.ids.size() == encoded.pieces.size(), "a piece for each id");
    for (const int32_t id : encoded.ids) {
      Require(0 <= id && id < vocabulary.size(), "ids in the vocabulary");
    }
    Require(IsValidUtf8(vocabulary.Decode(encoded.ids)), "UTF-8 comes out");
    const std::vector<std::string> words = {std::string(text)};
    Require(!vocabulary.EncodeWords(words).ids.empty(), "a token for a word");
  }
}

void Take(std::string_view text) {
  std::string joined;
  for (const std::string_view c : Utf8Characters(text)) joined += c;
  Require(joined == text, "characters are the text");
  Require(IsValidUtf8(Lowercase(text)), "lower case is UTF-8");
  const std::string normal = NormalForm(text);
  Require(NormalForm(normal) == normal, "a normal form is its own");
  Require(!IsValidUtf8(text) || IsValidUtf8(normal), "UTF-8 stays UTF-8");
  Require(DisplayWidth(text) >= 0, "columns");
  for (const std::string_view word : SplitUnicodeWhitespace(text)) {
    Require(!word.empty(), "words are not empty");
  }
  for (const VocabularyKind kind :
       {VocabularyKind::kWordPiece, VocabularyKind::kWordPieceCased,
        VocabularyKind::kWordPieceAccentsUnsplit}) {
    for (const std::string& token : BasicTokens(text, WordPieceRulesOf(kind))) {
      Require(IsValidUtf8(token) && !token.empty(), "tokens are UTF-8");
    }
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = heed::fuzz::Bytes(data, size);
  heed::fuzz::Take(text);
  heed::fuzz::Tokenize(text);
  return 0;
}
