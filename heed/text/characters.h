// Characters of UTF-8 text and their properties.
#ifndef HEED_TEXT_CHARACTERS_H_
#define HEED_TEXT_CHARACTERS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heed {

/// A code point and its length in bytes. Ill-formed bytes have code −1; at the
/// end of a text `size` is 0.
struct Character {
  int32_t code = -1;
  size_t size = 0;
};

Character FirstCharacter(std::string_view utf8);
Character LastCharacter(std::string_view utf8);

/// True for Unicode's White_Space.
bool IsSpaceCharacter(int32_t code);

/// True for White_Space and invisible characters between words: zero-width
/// space, byte order mark, soft hyphen, direction marks.
bool IsBlankCharacter(int32_t code);

/// True for characters that can continue identifiers: letters, marks and digits
/// of any script, and "_" (UAX 31, XID_Continue).
bool IsIdentifierCharacter(int32_t code);

/// True for a letter of any script.
bool IsLetterCharacter(int32_t code);
bool IsDigitCharacter(int32_t code);
bool IsUpperCharacter(int32_t code);
bool IsLowerCharacter(int32_t code);

/// True for a character of a script without spaces between words.
bool IsUnspacedCharacter(int32_t code);

/// Text without IsBlankCharacter at both ends.
std::string_view TrimBlankCharacters(std::string_view utf8);

/// Length in bytes of the emoji at the start of a text, 0 if there is none: a
/// single emoji or a sequence (UTS 51) with joiners, skin tones, flags or
/// keycaps. Characters that are text unless U+FE0F follows (©, ™, ‼) are not
/// emoji.
size_t EmojiSize(std::string_view utf8);

}  // namespace heed

#endif  // HEED_TEXT_CHARACTERS_H_
