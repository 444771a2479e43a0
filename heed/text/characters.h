// Single characters of UTF-8 text and their kinds.
#ifndef HEED_TEXT_CHARACTERS_H_
#define HEED_TEXT_CHARACTERS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heed {

/// A code point and its bytes. Ill-formed bytes have code −1; at the end of a
/// text `size` is 0.
struct Character {
  int32_t code = -1;
  size_t size = 0;
};

Character FirstCharacter(std::string_view utf8);
Character LastCharacter(std::string_view utf8);

/// Unicode's White_Space.
bool IsSpaceCharacter(int32_t code);

/// White_Space, or a character that nobody sees and that stands between words:
/// zero-width space, byte order mark, soft hyphen, marks of direction.
bool IsBlankCharacter(int32_t code);

/// A character that identifiers may go on with: letters, marks and digits of
/// any script, and "_" (UAX 31, XID_Continue).
bool IsIdentifierCharacter(int32_t code);

/// A letter of any script.
bool IsLetterCharacter(int32_t code);
bool IsDigitCharacter(int32_t code);
bool IsUpperCharacter(int32_t code);
bool IsLowerCharacter(int32_t code);

/// A character of a script that writes no spaces between words.
bool IsUnspacedCharacter(int32_t code);

/// Without IsBlankCharacter at the beginning, and at the end.
std::string_view TrimBlankCharacters(std::string_view utf8);

/// Bytes of the emoji that a text begins with, 0 if there is none: a single
/// one, or a sequence (UTS 51) of joined ones, skin tones, flags or keycaps.
/// Characters that are text unless U+FE0F follows (©, ™, ‼) are no emoji.
size_t EmojiSize(std::string_view utf8);

}  // namespace heed

#endif  // HEED_TEXT_CHARACTERS_H_
