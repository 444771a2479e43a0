#include "heed/data/numbers.h"

#include <algorithm>
#include <charconv>

#include "heed/base/text.h"

namespace heed {
namespace {

constexpr size_t kGroup = 3;
constexpr size_t kMaxNumberBytes = 400;

bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

/// Thousands separators besides comma and point: space, apostrophe, no-break
/// space, thin space, narrow no-break space, typographic apostrophe.
constexpr std::array<std::string_view, 6> kGroupMarks = {
    " ", "'", "\u00A0", "\u2009", "\u202F", "\u2019"};

/// Number of bytes of a thousands separator at the start of `text`, or 0.
size_t GroupMark(std::string_view text, char other) {
  if (text.starts_with(other)) return 1;
  for (const std::string_view mark : kGroupMarks) {
    if (text.starts_with(mark)) return mark.size();
  }
  return 0;
}

/// Digits without thousands separators; nullopt unless groups have three digits
/// and a single separator.
std::optional<std::string> WithoutGroups(std::string_view text, char other) {
  std::string digits;
  std::string_view mark;
  size_t group = 0;  // digits since the last separator
  bool grouped = false;
  while (!text.empty()) {
    if (IsAsciiDigit(text.front())) {
      digits += text.front();
      ++group;
      text.remove_prefix(1);
      continue;
    }
    const size_t bytes = GroupMark(text, other);
    if (bytes == 0 || group == 0) return std::nullopt;
    if (grouped ? group != kGroup || text.substr(0, bytes) != mark
                : group > kGroup) {
      return std::nullopt;
    }
    mark = text.substr(0, bytes);
    grouped = true;
    group = 0;
    text.remove_prefix(bytes);
  }
  if (grouped && group != kGroup) return std::nullopt;
  return digits;
}

}  // namespace

std::optional<double> ParseDecimal(std::string_view text, Decimal decimal) {
  text = TrimBlanks(text);
  if (decimal == Decimal::kPoint) {
    if (const auto number = ParseNumber(text)) return number;
  }
  if (text.empty() || text.size() > kMaxNumberBytes) return std::nullopt;
  const char mark = decimal == Decimal::kPoint ? '.' : ',';
  const char other = decimal == Decimal::kPoint ? ',' : '.';
  std::string plain;
  if (text.front() == '-' || text.front() == '+') {
    plain = text.front();
    text.remove_prefix(1);
  }
  const size_t end = std::min(text.find(mark), text.find_first_of("eE"));
  const auto whole = WithoutGroups(text.substr(0, end), other);
  if (!whole) return std::nullopt;
  plain += *whole;
  if (end < text.size()) {
    plain += text[end] == mark ? '.' : text[end];
    plain += text.substr(end + 1);
  }
  return ParseNumber(plain);
}

void DecimalGuess::Add(std::string_view cell) {
  const size_t points = static_cast<size_t>(std::ranges::count(cell, '.'));
  const size_t commas = static_cast<size_t>(std::ranges::count(cell, ','));
  if (points + commas == 0) {
    whole_ = true;
    return;
  }
  const bool point = ParseDecimal(cell, Decimal::kPoint).has_value();
  const bool comma = ParseDecimal(cell, Decimal::kComma).has_value();
  if (point && comma) {
    std::string& open = commas > 0 ? open_comma_ : open_point_;
    // "0.500" cannot be 500.
    const std::string_view digits =
        cell.substr(std::min(cell.find_first_not_of("+- "), cell.size()));
    if (digits.starts_with('0')) {
      ++(commas > 0 ? comma_ : point_);
    } else if (open.empty()) {
      open = cell;
    }
  } else if (point) {
    ++point_;
  } else if (comma) {
    ++comma_;
  }
}

Decimal DecimalGuess::Decide(Delimiter delimiter) const {
  if (point_ != comma_) {
    return comma_ > point_ ? Decimal::kComma : Decimal::kPoint;
  }
  if (open_comma_.empty() || !open_point_.empty()) return Decimal::kPoint;
  // Only commas before exactly three digits. Comma-delimited tables use decimal
  // points, semicolon-delimited ones decimal commas. Otherwise numbers without
  // a mark indicate that commas group thousands.
  if (delimiter == Delimiter::kComma) return Decimal::kPoint;
  if (delimiter == Delimiter::kSemicolon) return Decimal::kComma;
  return whole_ ? Decimal::kPoint : Decimal::kComma;
}

std::string DecimalGuess::Doubt(Delimiter delimiter) const {
  if (point_ != comma_) return "";
  if (!open_comma_.empty()) {
    const bool thousands = delimiter == Delimiter::kComma && whole_;
    return thousands ? "" : open_comma_;
  }
  // In a semicolon-delimited table, "1.020" may be 1020.
  return delimiter == Delimiter::kSemicolon ? open_point_ : "";
}

std::string ExactNumber(double number) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(),
                                 static_cast<float>(number));
  return {text.data(), end.ptr};
}

}  // namespace heed
