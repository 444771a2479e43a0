// Characters that stand for bytes in byte-level vocabularies.
#ifndef HEED_TEXT_TOKENIZER_BYTE_LEVEL_H_
#define HEED_TEXT_TOKENIZER_BYTE_LEVEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {

/// True for bytes that stand for themselves: printable Latin-1 characters.
constexpr bool IsPlainByte(int32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
         (byte >= 0xAE && byte <= 0xFF);
}

/// Code point for a byte: itself, or U+0100 and following in order.
constexpr int32_t ByteCharacter(char byte) {
  const int32_t value = static_cast<unsigned char>(byte);
  if (IsPlainByte(value)) return value;
  constexpr int32_t kBehindAscii = 0x100 + 0x21;  // bytes 0 to 0x20
  if (value <= 0x20) return 0x100 + value;
  if (value <= 0xA0) return kBehindAscii + (value - 0x7F);
  return kBehindAscii + (0xA0 - 0x7F) + 1;  // 0xAD
}

/// Byte of a code point; −1: none.
constexpr int32_t ByteOf(int32_t code) {
  if (code < 0x100) return IsPlainByte(code) ? code : -1;
  if (code <= 0x120) return code - 0x100;
  if (code <= 0x142) return code - 0x121 + 0x7F;
  return code == 0x143 ? 0xAD : -1;
}

/// Bytes of a token of a byte-level vocabulary; nullopt if a character stands
/// for no byte.
inline std::optional<std::string> BytesOfToken(std::string_view token) {
  std::string bytes;
  for (size_t i = 0; i < token.size();) {
    const int32_t byte = ByteOf(NextCode(token, i));
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_BYTE_LEVEL_H_
