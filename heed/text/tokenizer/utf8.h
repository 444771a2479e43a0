// Code points of well-formed UTF-8 and their classes.
#ifndef HEED_TEXT_TOKENIZER_UTF8_H_
#define HEED_TEXT_TOKENIZER_UTF8_H_

#include <unicode/uchar.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heed::tokens {

/// Position in a text, which has less than 2 GiB.
inline uint32_t Narrow(size_t position) {
  return static_cast<uint32_t>(position);
}

/// Code point at `i`, which moves behind it. The text must be well-formed and
/// `i` at the start of a character.
inline int32_t NextCode(std::string_view text, size_t& i) {
  const auto byte = [&text](size_t at) {
    return static_cast<int32_t>(static_cast<unsigned char>(text[at]));
  };
  const int32_t first = byte(i);
  if (first < 0x80) return ++i, first;
  const int32_t second = byte(i + 1) & 0x3F;
  if (first < 0xE0) return i += 2, ((first & 0x1F) << 6) | second;
  const int32_t third = byte(i + 2) & 0x3F;
  if (first < 0xF0) {
    return i += 3, ((first & 0x0F) << 12) | (second << 6) | third;
  }
  const int32_t fourth = byte(i + 3) & 0x3F;
  return i += 4,
         ((first & 0x07) << 18) | (second << 12) | (third << 6) | fourth;
}

/// Writes a code point as UTF-8 and returns the number of bytes.
inline size_t WriteCode(int32_t code, char* bytes) {
  const auto tail = [code](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x80) return bytes[0] = static_cast<char>(code), 1;
  if (code < 0x800) {
    bytes[0] = static_cast<char>(0xC0 | (code >> 6));
    bytes[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    bytes[0] = static_cast<char>(0xE0 | (code >> 12));
    bytes[1] = tail(6);
    bytes[2] = tail(0);
    return 3;
  }
  bytes[0] = static_cast<char>(0xF0 | (code >> 18));
  bytes[1] = tail(12);
  bytes[2] = tail(6);
  bytes[3] = tail(0);
  return 4;
}

/// Bit of the general category of a code point, to be tested against ICU's
/// U_GC_…_MASK.
inline uint32_t CategoryBit(int32_t code) {
  return uint32_t{1} << u_charType(code);
}
/// Unicode's White_Space.
inline bool IsWhite(int32_t code) {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  return u_isUWhiteSpace(code) != 0;
}
inline bool IsNumeric(int32_t code) {
  return (CategoryBit(code) & U_GC_N_MASK) != 0;
}
/// Punctuation of BERT: Unicode's category P and all ASCII symbols.
inline bool IsBertPunctuation(int32_t code) {
  if (code < 0x80) {
    return (code >= '!' && code <= '/') || (code >= ':' && code <= '@') ||
           (code >= '[' && code <= '`') || (code >= '{' && code <= '~');
  }
  return (CategoryBit(code) & U_GC_P_MASK) != 0;
}
/// `\w` of UTS 18: alphabetic, marks, decimal digits, connectors, joiners.
inline bool IsWordCharacter(int32_t code) {
  if (u_hasBinaryProperty(code, UCHAR_ALPHABETIC) ||
      u_hasBinaryProperty(code, UCHAR_JOIN_CONTROL)) {
    return true;
  }
  return (CategoryBit(code) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
}

}  // namespace heed::tokens

#endif  // HEED_TEXT_TOKENIZER_UTF8_H_
