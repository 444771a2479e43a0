#include "heed/text/wordpiece.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <optional>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

/// Calls body(code_point, bytes) for each code point of well-formed UTF-8.
template <typename Body>
void ForEach(std::string_view text, Body&& body) {
  const auto size = static_cast<int64_t>(text.size());
  for (int64_t i = 0; i < size;) {
    const int64_t begin = i;
    UChar32 c = 0;
    U8_NEXT(text.data(), i, size, c);
    if (c < 0) continue;
    body(c, text.substr(static_cast<size_t>(begin),
                        static_cast<size_t>(i - begin)));
  }
}

bool IsDropped(UChar32 c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  return c == 0xFFFD || (U_GET_GC_MASK(c) & (U_GC_CC_MASK | U_GC_CF_MASK)) != 0;
}

bool IsSpace(UChar32 c) { return u_isUWhiteSpace(c) != 0; }

// True for the blocks named by the reference, which exclude Kana and Hangul.
bool IsChinese(UChar32 c) {
  struct Block {
    UChar32 first, last;
  };
  static constexpr Block kBlocks[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},
                                      {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                                      {0x2B740, 0x2B81F}, {0x2B820, 0x2CEAF},
                                      {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  return c >= 0x3400 && std::any_of(std::begin(kBlocks), std::end(kBlocks),
                                    [c](const Block& block) {
                                      return block.first <= c &&
                                             c <= block.last;
                                    });
}

bool IsPunctuation(UChar32 c) {
  return c < 0x80 ? u_isgraph(c) && !u_isalnum(c) : u_ispunct(c) != 0;
}

std::string WithoutAccents(const std::string& word) {
  std::string decomposed;
  icu::StringByteSink<std::string> sink(&decomposed);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfd = icu::Normalizer2::getNFDInstance(status);
  if (U_SUCCESS(status)) {
    nfd->normalizeUTF8(0, word, sink, nullptr, status);
  }
  if (U_FAILURE(status)) {
    throw Error(std::string("WordPiece: ") + u_errorName(status));
  }
  std::string plain;
  ForEach(decomposed, [&plain](UChar32 c, std::string_view bytes) {
    if (u_charType(c) != U_NON_SPACING_MARK) plain += bytes;
  });
  return plain;
}

void LowercaseAscii(std::string& word) {
  for (char& c : word) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

// Collects the tokens of a text from left to right.
class Splitter {
 public:
  explicit Splitter(const WordPieceRules& rules) : rules_(rules) {}

  std::vector<std::string> Split(std::string_view text) && {
    ForEach(text, [this](UChar32 c, std::string_view bytes) {
      if (IsDropped(c)) return;
      const bool alone = rules_.split_chinese && IsChinese(c);
      if (alone || IsSpace(c)) EndWord();
      if (!IsSpace(c)) word_ += bytes;
      ascii_ &= c < 0x80;
      if (alone) EndWord();
    });
    EndWord();
    return std::move(tokens_);
  }

 private:
  // Lower-cases whole words, because a final sigma differs from other ones.
  void EndWord() {
    if (word_.empty()) return;
    if (rules_.lowercase && ascii_) LowercaseAscii(word_);
    if (rules_.lowercase && !ascii_) word_ = Lowercase(word_);
    if (rules_.strip_accents && !ascii_) word_ = WithoutAccents(word_);
    bool inside = false;
    ForEach(word_, [&](UChar32 c, std::string_view bytes) {
      const bool alone = IsPunctuation(c);
      if (alone || !inside) tokens_.emplace_back();
      tokens_.back() += bytes;
      inside = !alone;
    });
    word_.clear();
    ascii_ = true;
  }

  WordPieceRules rules_;
  std::string word_;
  bool ascii_ = true;  // word_ is ASCII
  std::vector<std::string> tokens_;
};

std::optional<std::string_view> SpecialAt(std::string_view text) {
  for (std::string_view special : WordPiece::kSpecials) {
    if (text.starts_with(special)) return special;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> BasicTokens(std::string_view text,
                                     const WordPieceRules& rules) {
  return Splitter(rules).Split(text);
}

WordPiece::WordPiece(std::string_view bytes, const WordPieceRules& rules,
                     const std::string& name)
    : rules_(rules) {
  for (const std::string_view token : SplitLines(bytes)) {
    if (!IsValidUtf8(token)) {
      throw FormatError("{}:{}: not UTF-8, so not a vocabulary", name,
                        pieces_.size() + 1);
    }
    pieces_.emplace_back(token);
  }
  for (size_t i = 0; i < pieces_.size(); ++i) {
    std::string_view piece = pieces_[i];
    longest_ = std::max(longest_, piece.size());
    const bool inner = piece.starts_with(kInner);
    if (inner) piece.remove_prefix(kInner.size());
    (inner ? inner_ : starts_)[piece] = static_cast<int32_t>(i);
  }
  special_ = {.pad = IdOfSpecial("[PAD]", name),
              .unk = IdOfSpecial("[UNK]", name),
              .bos = IdOfSpecial("[CLS]", name),
              .eos = IdOfSpecial("[SEP]", name),
              .mask = IdOfSpecial("[MASK]", name)};
}

int32_t WordPiece::IdOfSpecial(std::string_view token,
                               const std::string& name) const {
  const auto found = starts_.find(token);
  if (found == starts_.end()) {
    throw FormatError("{}: not a WordPiece vocabulary, for it has no line {}",
                      name, token);
  }
  return found->second;
}

Encoded WordPiece::Encode(std::string_view line) const {
  Encoded encoded;
  const auto encode = [&](std::string_view text) {
    for (const std::string& word : BasicTokens(text, rules_)) {
      AppendWord(word, encoded);
    }
  };
  size_t begin = 0;
  for (size_t i = line.find('['); i < line.size(); i = line.find('[', i)) {
    const auto special = SpecialAt(line.substr(i));
    if (!special) {
      ++i;
      continue;
    }
    encode(line.substr(begin, i - begin));
    encoded.ids.push_back(starts_.at(*special));
    encoded.pieces.emplace_back(*special);
    i += special->size();
    begin = i;
  }
  encode(line.substr(begin));
  return encoded;
}

void WordPiece::AppendWord(const std::string& word, Encoded& encoded) const {
  const std::string_view all = word;
  const size_t before = encoded.ids.size();
  bool known = CountCharacters(word) <= kLongestWord;
  for (size_t begin = 0; known && begin < all.size();) {
    const Ids& ids = begin == 0 ? starts_ : inner_;
    size_t end = std::min(all.size(), begin + longest_);
    auto found = ids.end();
    for (; end > begin && found == ids.end(); --end) {
      found = ids.find(all.substr(begin, end - begin));
    }
    known = found != ids.end();
    if (!known) break;
    encoded.ids.push_back(found->second);
    encoded.pieces.push_back(At(pieces_, found->second));
    begin += found->first.size();
  }
  if (known) return;
  encoded.ids.resize(before);
  encoded.pieces.resize(before);
  encoded.ids.push_back(special_.unk);
  encoded.pieces.push_back(word);
}

std::string WordPiece::Join(std::span<const std::string> pieces) {
  std::string text;
  for (const std::string& piece : pieces) {
    if (piece.size() > kInner.size() && piece.starts_with(kInner)) {
      text += piece.substr(kInner.size());
    } else {
      text += text.empty() ? "" : " ";
      text += piece;
    }
  }
  return text;
}

}  // namespace heed
