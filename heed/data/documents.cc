#include "heed/data/documents.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "heed/base/text.h"
#include "heed/text/sentences.h"
#include "heed/text/wordpiece.h"

namespace heed {
namespace {

constexpr const char* kBlanksAndEnds = " \t\r\n";

bool IsBlankText(std::string_view text) {
  return text.find_first_not_of(kBlanksAndEnds) == text.npos;
}

/// Text without surrounding blanks.
std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanksAndEnds);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanksAndEnds) + 1 - begin);
}

}  // namespace

std::vector<size_t> FindSentences(std::string_view text) {
  const std::vector<std::string_view> lines = SplitAt(text, "\n");
  std::vector<size_t> begins;
  const auto add = [&](std::string_view part) {
    if (!IsBlankText(part)) {
      begins.push_back(static_cast<size_t>(part.data() - text.data()));
    }
  };
  std::ranges::for_each(lines, add);
  if (begins.size() != 1) return begins;
  const std::string_view only = text.substr(begins.front());
  begins.clear();
  std::ranges::for_each(SplitSentences(only), add);
  return begins;
}

std::string SpacedWords(std::string_view text) {
  std::string spaced;
  for (const std::string& word :
       BasicTokens(text, WordPieceRulesOf(VocabularyKind::kWordPieceCased))) {
    if (!spaced.empty()) spaced += ' ';
    spaced += word;
  }
  return spaced;
}

MarkedDocument MarkDocument(const Vocabulary& vocabulary, std::string_view text,
                            std::span<const size_t> begins, int max_length,
                            bool lowercase) {
  MarkedDocument document;
  const bool words = vocabulary.kind() == VocabularyKind::kWords;
  for (size_t i = 0; i < begins.size(); ++i) {
    const size_t end = i + 1 < begins.size() ? begins[i + 1] : text.size();
    const std::string_view own =
        Trimmed(text.substr(begins[i], end - begins[i]));
    std::string read = words ? SpacedWords(own) : std::string(own);
    if (lowercase) read = Lowercase(read);
    Encoded encoded = vocabulary.EncodeWithPieces(read);
    auto size = std::ssize(encoded.ids);
    if (max_length > 0) {
      const int64_t room = max_length - std::ssize(document.ids);
      document.cut |= size > room;
      size = std::min(size, room);
    }
    if (size == 0 && document.cut) break;
    if (size == 0) continue;
    document.ids.insert(document.ids.end(), encoded.ids.begin(),
                        encoded.ids.begin() + size);
    std::move(encoded.pieces.begin(), encoded.pieces.begin() + size,
              std::back_inserter(document.pieces));
    document.sentences.push_back(static_cast<int32_t>(size));
    document.sentence_of.emplace_back(own);
  }
  if (document.ids.empty()) {
    document.ids = {vocabulary.special().eos};
    document.pieces = {vocabulary.Piece(document.ids.front())};
    document.sentences = {1};
    document.sentence_of = {document.pieces.front()};
  }
  return document;
}

}  // namespace heed
