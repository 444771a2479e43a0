#include "heed/text/tokenizer/unicode_forms.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/text/tokenizer/utf8.h"

namespace heed::tokens {
namespace {

void Check(UErrorCode status) {
  if (U_FAILURE(status)) {
    throw Error("Unicode normalisation: {}", u_errorName(status));
  }
}

const icu::Normalizer2& Instance(UnicodeForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* instance =
      form == UnicodeForm::kNfc    ? icu::Normalizer2::getNFCInstance(status)
      : form == UnicodeForm::kNfd  ? icu::Normalizer2::getNFDInstance(status)
      : form == UnicodeForm::kNfkc ? icu::Normalizer2::getNFKCInstance(status)
                                   : icu::Normalizer2::getNFKDInstance(status);
  Check(status);
  return *instance;
}

std::string Normalized(const icu::Normalizer2& form, std::string_view text) {
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  form.normalizeUTF8(0, {text.data(), static_cast<int32_t>(text.size())}, sink,
                     nullptr, status);
  Check(status);
  return result;
}

// Orders long runs of combining marks canonically, which changes no normal
// form. ICU would need quadratic time for them.
std::string WithSortedMarks(std::string_view text) {
  std::vector<int32_t> codes;
  for (size_t i = 0; i < text.size();) codes.push_back(NextCode(text, i));
  const auto is_mark = [](int32_t code) {
    return u_getCombiningClass(code) != 0;
  };
  for (auto begin = codes.begin(); begin != codes.end();) {
    begin = std::find_if(begin, codes.end(), is_mark);
    const auto end = std::find_if_not(begin, codes.end(), is_mark);
    std::stable_sort(begin, end, [](int32_t a, int32_t b) {
      return u_getCombiningClass(a) < u_getCombiningClass(b);
    });
    begin = end;
  }
  std::string sorted;
  for (const int32_t code : codes) {
    char bytes[4];
    sorted.append(bytes, WriteCode(code, bytes));
  }
  return sorted;
}

// Writes a segment that no other segment interacts with.
void WriteSegment(const icu::Normalizer2& form, std::string_view text,
                  size_t begin, size_t end, TextWriter& writer) {
  constexpr size_t kLongSegment = 256;
  const std::string_view segment = text.substr(begin, end - begin);
  const std::string whole = segment.size() > kLongSegment
                                ? Normalized(form, WithSortedMarks(segment))
                                : Normalized(form, segment);
  if (whole == segment) return writer.Keep(begin, end);
  std::string joined;
  std::vector<std::pair<std::string, size_t>> parts;  // with their ends
  for (size_t i = begin; i < end;) {
    const size_t from = i;
    NextCode(text, i);
    parts.emplace_back(Normalized(form, text.substr(from, i - from)), i);
    joined += parts.back().first;
  }
  if (joined != whole) return writer.Put(whole, begin, end);
  for (const auto& [part, part_end] : parts) {
    writer.Put(part, begin, part_end);
    begin = part_end;
  }
}

void WriteNormalized(const icu::Normalizer2& form, std::string_view text,
                     const Piece& piece, TextWriter& writer) {
  size_t begin = piece.begin;
  for (size_t i = begin; i < piece.end;) {
    const size_t at = i;
    const int32_t code = NextCode(text, i);
    if (at == begin || !form.hasBoundaryBefore(code)) continue;
    WriteSegment(form, text, begin, at, writer);
    begin = at;
  }
  if (begin < piece.end) WriteSegment(form, text, begin, piece.end, writer);
}

}  // namespace

Step UnicodeFormStep(UnicodeForm form) {
  return [form](Pieces& state) {
    const icu::Normalizer2& instance = Instance(form);
    const auto differs = [&instance](std::string_view text) {
      UErrorCode status = U_ZERO_ERROR;
      const bool same = instance.isNormalizedUTF8(
          {text.data(), static_cast<int32_t>(text.size())}, status);
      Check(status);
      return !same;
    };
    if (!AnyText(state, differs)) return;
    const std::string_view text = state.text.text();
    Rewrite(state, [&](const Piece& piece, TextWriter& writer) {
      WriteNormalized(instance, text, piece, writer);
    });
  };
}

}  // namespace heed::tokens
