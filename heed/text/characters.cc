#include "heed/text/characters.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace heed {
namespace {

constexpr int32_t kJoiner = 0x200D;
constexpr int32_t kTextStyle = 0xFE0E;
constexpr int32_t kEmojiStyle = 0xFE0F;
constexpr int32_t kKeycap = 0x20E3;
constexpr int32_t kFirstTag = 0xE0020;
constexpr int32_t kLastTag = 0xE007F;
/// First pictograph that is rarely used as a letter or a sign.
constexpr int32_t kFirstPictograph = 0x2190;

bool Has(int32_t code, UProperty property) {
  return code >= 0 && u_hasBinaryProperty(code, property) != 0;
}

/// Reads a text character by character.
class CharacterReader {
 public:
  explicit CharacterReader(std::string_view text) : text_(text) {}

  /// The next character; does not advance.
  Character Next() const { return FirstCharacter(text_.substr(at_)); }
  void Pass() { at_ += Next().size; }
  bool PassIf(int32_t code) {
    const bool there = Next().code == code;
    if (there) Pass();
    return there;
  }
  size_t at() const { return at_; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

/// Consumes one emoji of a sequence with its modifiers. Consumes nothing if
/// there is none.
bool PassElement(CharacterReader& text) {
  CharacterReader ahead = text;
  const int32_t code = ahead.Next().code;
  ahead.Pass();
  if (Has(code, UCHAR_REGIONAL_INDICATOR)) {  // a flag consists of two
    if (!Has(ahead.Next().code, UCHAR_REGIONAL_INDICATOR)) return false;
    ahead.Pass();
    text = ahead;
    return true;
  }
  if (code < 0x80) {  // a keycap: digit, U+FE0F, U+20E3
    if (!Has(code, UCHAR_EMOJI)) return false;
    ahead.PassIf(kEmojiStyle);
    if (!ahead.PassIf(kKeycap)) return false;
    text = ahead;
    return true;
  }
  const bool pictograph = Has(code, UCHAR_EXTENDED_PICTOGRAPHIC) ||
                          Has(code, UCHAR_EMOJI_PRESENTATION);
  if (!pictograph) return false;
  if (ahead.PassIf(kTextStyle)) {  // text presentation
    text = ahead;
    return true;
  }
  const bool styled = ahead.PassIf(kEmojiStyle);
  if (code < kFirstPictograph && !styled) return false;
  if (Has(ahead.Next().code, UCHAR_EMOJI_MODIFIER)) ahead.Pass();
  ahead.PassIf(kEmojiStyle);
  const auto is_tag = [](int32_t c) { return c >= kFirstTag && c <= kLastTag; };
  while (is_tag(ahead.Next().code)) ahead.Pass();
  text = ahead;
  return true;
}

}  // namespace

Character FirstCharacter(std::string_view utf8) {
  if (utf8.empty()) return {};
  int32_t i = 0;
  UChar32 c = -1;
  const auto size = static_cast<int32_t>(utf8.substr(0, U8_MAX_LENGTH).size());
  U8_NEXT(utf8.data(), i, size, c);
  return {c, static_cast<size_t>(i)};
}

Character LastCharacter(std::string_view utf8) {
  if (utf8.empty()) return {};
  const std::string_view end =
      utf8.substr(utf8.size() - std::min<size_t>(utf8.size(), U8_MAX_LENGTH));
  auto i = static_cast<int32_t>(end.size());
  UChar32 c = -1;
  U8_PREV(end.data(), 0, i, c);
  return {c, end.size() - static_cast<size_t>(i)};
}

bool IsSpaceCharacter(int32_t code) {
  return code >= 0 && u_isUWhiteSpace(code) != 0;
}

bool IsBlankCharacter(int32_t code) {
  constexpr int32_t kSoftHyphen = 0xAD;
  if (code < kSoftHyphen) return IsSpaceCharacter(code);
  return IsSpaceCharacter(code) || code == kSoftHyphen || code == 0x200B ||
         code == 0x200E || code == 0x200F || code == 0x2060 || code == 0xFEFF ||
         (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool IsIdentifierCharacter(int32_t code) {
  return Has(code, UCHAR_XID_CONTINUE);
}

bool IsLetterCharacter(int32_t code) {
  return code >= 0 && u_isUAlphabetic(code) != 0;
}

bool IsDigitCharacter(int32_t code) {
  return code >= 0 && u_isdigit(code) != 0;
}
bool IsUpperCharacter(int32_t code) {
  return code >= 0 && u_isUUppercase(code) != 0;
}
bool IsLowerCharacter(int32_t code) {
  return code >= 0 && u_isULowercase(code) != 0;
}

bool IsUnspacedCharacter(int32_t code) {
  if (code < 0x80) return false;
  const auto breaks = u_getIntPropertyValue(code, UCHAR_LINE_BREAK);
  return breaks == U_LB_IDEOGRAPHIC || breaks == U_LB_COMPLEX_CONTEXT ||
         breaks == U_LB_CONDITIONAL_JAPANESE_STARTER;
}

std::string_view TrimBlankCharacters(std::string_view utf8) {
  for (Character c = FirstCharacter(utf8); IsBlankCharacter(c.code);
       c = FirstCharacter(utf8)) {
    utf8.remove_prefix(c.size);
  }
  for (Character c = LastCharacter(utf8); IsBlankCharacter(c.code);
       c = LastCharacter(utf8)) {
    utf8.remove_suffix(c.size);
  }
  return utf8;
}

size_t EmojiSize(std::string_view utf8) {
  CharacterReader text(utf8);
  if (!PassElement(text)) return 0;
  for (;;) {
    CharacterReader ahead = text;
    if (!ahead.PassIf(kJoiner) || !PassElement(ahead)) return text.at();
    text = ahead;
  }
}

}  // namespace heed
