#include "heed/base/normal_form.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "heed/base/errors.h"

namespace heed {
namespace {

enum class Visible : uint8_t { kYes, kSpace, kGap, kNo };

// How NormalForm treats a code point; −1 stands for an ill-formed byte.
Visible VisibilityOf(UChar32 c) {
  constexpr UChar32 kGraphemeJoiner = 0x034F;
  constexpr UChar32 kNonJoiner = 0x200C;
  constexpr UChar32 kJoiner = 0x200D;
  constexpr UChar32 kFirstTag = 0xE0020;
  constexpr UChar32 kLastTag = 0xE007F;
  if (c < 0) return Visible::kYes;
  if (c < 0x7F && c >= ' ') return c == ' ' ? Visible::kSpace : Visible::kYes;
  if (u_isUWhiteSpace(c) != 0) return Visible::kSpace;
  if (c == 0x200B || c == 0x200E || c == 0x200F || c == 0xFEFF) {
    return Visible::kGap;
  }
  if (c == kGraphemeJoiner || u_charType(c) == U_CONTROL_CHAR) {
    return Visible::kNo;
  }
  const bool meant =
      c == kNonJoiner || c == kJoiner || (c >= kFirstTag && c <= kLastTag);
  const bool invisible =
      u_charType(c) == U_FORMAT_CHAR &&
      u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
  return invisible && !meant ? Visible::kNo : Visible::kYes;
}

bool IsPlainAscii(std::string_view utf8) {
  return std::ranges::all_of(utf8,
                             [](char c) { return c >= ' ' && c < '\x7F'; });
}

std::string WithoutInvisible(std::string_view utf8) {
  std::string result;
  result.reserve(utf8.size());
  bool gap = false;
  const auto size = static_cast<int64_t>(utf8.size());
  for (int64_t i = 0; i < size;) {
    const int64_t begin = i;
    UChar32 c = 0;
    U8_NEXT(utf8.data(), i, size, c);
    const Visible visible = VisibilityOf(c);
    if (visible == Visible::kGap) gap = true;
    if (visible == Visible::kGap || visible == Visible::kNo) continue;
    const bool space = visible == Visible::kSpace;
    if (gap && !space && !result.empty() && result.back() != ' ') result += ' ';
    gap = false;
    if (space) {
      result += ' ';
    } else if (c < 0) {
      result += "\uFFFD";
    } else {
      result += utf8.substr(static_cast<size_t>(begin),
                            static_cast<size_t>(i - begin));
    }
  }
  return result;
}

}  // namespace

std::string Nfc(std::string_view utf8) {
  if (utf8.size() > INT32_MAX) {
    throw FormatError("normalisation: a line of 2 GB or more; split it");
  }
  const icu::StringPiece piece(utf8.data(), static_cast<int32_t>(utf8.size()));
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(status);
  std::string composed;
  if (U_SUCCESS(status) && nfc->isNormalizedUTF8(piece, status) != 0) {
    return std::string(utf8);
  }
  icu::StringByteSink<std::string> sink(&composed);
  if (U_SUCCESS(status)) nfc->normalizeUTF8(0, piece, sink, nullptr, status);
  if (U_FAILURE(status)) {
    throw Error(std::string("normalisation: ") + u_errorName(status));
  }
  return composed;
}

std::string NormalForm(std::string_view utf8) {
  if (IsPlainAscii(utf8)) return std::string(utf8);
  return Nfc(WithoutInvisible(utf8));
}

}  // namespace heed
