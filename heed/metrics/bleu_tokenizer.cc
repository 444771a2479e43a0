#include "heed/metrics/bleu_tokenizer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "heed/base/text.h"

namespace heed {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsStop(char c) { return c == '.' || c == ','; }

// True for ASCII characters except letters, digits, controls and ',-.
bool IsSeparated(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool kept = c == '\'' || c == ',' || c == '-' || c == '.';
  return c >= ' ' && c <= '~' && !letter && !IsDigit(c) && !kept;
}

std::string ReplaceAll(std::string text, std::string_view from,
                       std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string SeparatePunctuation(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (IsSeparated(c)) {
      out += {' ', c, ' '};
    } else {
      out += c;
    }
  }
  return out;
}

std::string SingleSpaced(std::string_view text) {
  return fmt::format("{}", fmt::join(SplitUnicodeWhitespace(text), " "));
}

// Inserts text around pairs (first, second) from left to right: before + first
// + between + second + after. Pairs do not overlap, like matches of a regular
// expression, so in "..." only the first two characters form a pair. `text` is
// a list of characters, or a std::string of bytes if first and second match
// ASCII only.
template <typename Text, typename First, typename Second>
std::string SpacePairs(const Text& text, First&& first, Second&& second,
                       std::string_view before, std::string_view after) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && first(text[i]) && second(text[i + 1])) {
      out += before;
      out += text[i];
      out += ' ';
      out += text[++i];
      out += after;
    } else {
      out += text[i];
    }
  }
  return out;
}

// TokenizerRegexp of sacreBLEU, the last step of 13a and zh.
std::string SeparateAsMteval(std::string_view line) {
  const auto not_digit = [](char c) { return !IsDigit(c); };
  const auto is_dash = [](char c) { return c == '-'; };
  std::string text = SeparatePunctuation(line);
  text = SpacePairs(text, not_digit, IsStop, "", " ");
  text = SpacePairs(text, IsStop, not_digit, " ", "");
  text = SpacePairs(text, IsDigit, is_dash, "", " ");
  return SingleSpaced(text);
}

std::string Tokenize13a(std::string_view line) {
  std::string text = ReplaceAll(std::string(line), "<skipped>", "");
  text = ReplaceAll(std::move(text), "-\n", "");
  text = ReplaceAll(std::move(text), "\n", " ");
  text = ReplaceAll(std::move(text), "&quot;", "\"");
  text = ReplaceAll(std::move(text), "&amp;", "&");
  text = ReplaceAll(std::move(text), "&lt;", "<");
  text = ReplaceAll(std::move(text), "&gt;", ">");
  return SeparateAsMteval(" " + text + " ");
}

/// The code point of a character; −1 for invalid UTF-8.
UChar32 CodePoint(std::string_view character) {
  int32_t at = 0;
  UChar32 c = 0;
  U8_NEXT(character.data(), at, static_cast<int32_t>(character.size()), c);
  return c;
}

bool IsOfCategory(std::string_view character, uint32_t categories) {
  const UChar32 c = CodePoint(character);
  return c >= 0 && (U_GET_GC_MASK(c) & categories) != 0;
}

std::string TokenizeIntl(std::string_view line) {
  const auto is_punctuation = [](std::string_view c) {
    return IsOfCategory(c, U_GC_P_MASK);
  };
  const auto is_no_number = [](std::string_view c) {
    return !IsOfCategory(c, U_GC_N_MASK);
  };
  std::string text =
      SpacePairs(Utf8Characters(line), is_no_number, is_punctuation, "", " ");
  text =
      SpacePairs(Utf8Characters(text), is_punctuation, is_no_number, " ", "");
  std::string separated;
  for (const std::string_view c : Utf8Characters(text)) {
    if (IsOfCategory(c, U_GC_S_MASK)) {
      separated.append(" ").append(c).append(" ");
    } else {
      separated += c;
    }
  }
  return SingleSpaced(separated);
}

/// True if sacreBLEU's zh separates the character. Python reads
/// '\u20000'-'\u2a6d6' and '\u2f800'-'\u2fa1d' as two characters each. The
/// first two ranges reproduce this: they cover general punctuation and
/// everything after it, not CJK extension B.
bool IsChineseForBleu(UChar32 c) {
  constexpr std::pair<UChar32, UChar32> kRanges[] = {
      {0x2001, 0x2A6D}, {0x2F81, 0x2FA1}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF},
      {0x2FF0, 0x2FFF}, {0x3000, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
      {0x31C0, 0x31EF}, {0x3200, 0x32FF}, {0x3300, 0x33FF}, {0x3400, 0x4DB5},
      {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9},
      {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
  return std::ranges::any_of(kRanges, [c](const auto& range) {
    return c >= range.first && c <= range.second;
  });
}

std::string TokenizeZh(std::string_view line) {
  // Strips white space like Python's str.strip().
  const auto words = SplitUnicodeWhitespace(line);
  if (words.empty()) return "";
  line = std::string_view(
      words.front().data(),
      static_cast<size_t>(words.back().data() + words.back().size() -
                          words.front().data()));
  std::string text;
  for (const std::string_view c : Utf8Characters(line)) {
    if (IsChineseForBleu(CodePoint(c))) {
      text.append(" ").append(c).append(" ");
    } else {
      text += c;
    }
  }
  return SeparateAsMteval(text);
}

/// Letter counts that show whether a text has spaces between words.
struct Writing {
  int64_t letters = 0;
  int64_t han = 0;       ///< Chinese characters
  int64_t others = 0;    ///< letters of other unspaced scripts
  int64_t joined = 0;    ///< unspaced letters right after another
  int64_t separate = 0;  ///< unspaced letters after a space

  /// True if most of the text has no spaces between words.
  bool unspaced() const {
    constexpr int64_t kFewSpaces = 10;
    return 2 * (han + others) > letters && separate * kFewSpaces <= joined;
  }
};

bool IsUnspacedScript(UScriptCode script) {
  constexpr UScriptCode kScripts[] = {
      USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI,   USCRIPT_LAO,
      USCRIPT_KHMER,    USCRIPT_MYANMAR,  USCRIPT_TIBETAN};
  return std::ranges::find(kScripts, script) != std::end(kScripts);
}

void AddLine(std::string_view line, Writing& writing) {
  bool follows = false;  // previous letter is of a script without spaces
  bool space = false;    // white space came after it
  for (const std::string_view character : Utf8Characters(line)) {
    const UChar32 c = CodePoint(character);
    if (c < 0) continue;
    if (u_isUWhiteSpace(c)) {
      space = true;
      continue;
    }
    UErrorCode error = U_ZERO_ERROR;
    const UScriptCode script =
        u_isalpha(c) ? uscript_getScript(c, &error) : USCRIPT_COMMON;
    const bool han = script == USCRIPT_HAN;
    const bool unspaced = han || IsUnspacedScript(script);
    writing.letters += script == USCRIPT_COMMON ? 0 : 1;
    writing.han += han ? 1 : 0;
    writing.others += unspaced && !han ? 1 : 0;
    if (unspaced && follows) ++(space ? writing.separate : writing.joined);
    follows = unspaced;
    space = false;
  }
}

}  // namespace

std::string TokenizeForBleu(std::string_view line, BleuTokenizer tokenizer) {
  switch (tokenizer) {
    case BleuTokenizer::kIntl:
      return TokenizeIntl(line);
    case BleuTokenizer::kZh:
      return TokenizeZh(line);
    case BleuTokenizer::kChar:
      return SingleSpaced(
          fmt::format("{}", fmt::join(Utf8Characters(line), " ")));
    case BleuTokenizer::kNone:
      return SingleSpaced(line);
    case BleuTokenizer::k13a:
      break;
  }
  return Tokenize13a(line);
}

ChosenTokenizer ChooseTokenizer(Auto<BleuTokenizer> option,
                                std::span<const std::string> references) {
  Writing writing;
  for (const std::string& line : references) AddLine(line, writing);
  constexpr int64_t kMuch = 20;
  const bool chinese = writing.others * kMuch <= writing.han;
  if (option.open()) {
    if (!writing.unspaced()) return {};
    if (chinese) {
      return {BleuTokenizer::kZh,
              "BLEU takes the tokeniser zh, as the references are Chinese "
              "without spaces between words (--tokenize chooses another)"};
    }
  }
  const BleuTokenizer tokenizer =
      option.open() ? BleuTokenizer::k13a : option.value();
  if (!writing.unspaced() || tokenizer == BleuTokenizer::kZh ||
      tokenizer == BleuTokenizer::kChar) {
    return {tokenizer, ""};
  }
  return {tokenizer,
          fmt::format("the references have no spaces between words, so that "
                      "BLEU of tokeniser {} compares whole clauses; --tokenize "
                      "{} compares characters",
                      Named<BleuTokenizer>(tokenizer).word(),
                      chinese ? "zh" : "char")};
}

}  // namespace heed
