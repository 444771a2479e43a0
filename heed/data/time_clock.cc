#include "heed/data/time_clock.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "heed/base/text.h"

namespace heed {
namespace {

constexpr int64_t kHourSeconds = 3600;

bool IsAsciiLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool IsBeyondAscii(char c) { return static_cast<unsigned char>(c) >= 0x80; }

TimeToken::Kind KindOf(char c) {
  if (c >= '0' && c <= '9') return TimeToken::kDigits;
  return IsAsciiLetter(c) || IsBeyondAscii(c) ? TimeToken::kLetters
                                              : TimeToken::kOther;
}

/// Sequential reader of tokens.
class TokenCursor {
 public:
  explicit TokenCursor(std::span<const TimeToken> tokens) : tokens_(tokens) {}

  bool done() const { return at_ == tokens_.size(); }
  const TimeToken* Peek(size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? &tokens_[at_ + ahead] : nullptr;
  }
  const TimeToken& Take() { return tokens_[at_++]; }

 private:
  std::span<const TimeToken> tokens_;
  size_t at_ = 0;
};

/// Parses an offset: "+01:00", "-0530" or "+01". The cursor is at the sign.
bool TakeOffset(TokenCursor& cursor, TimeOfDay& clock) {
  const std::string_view sign = cursor.Take().text;
  std::string text(sign);
  const TimeToken* hours = cursor.Peek();
  if (hours == nullptr || !(hours->IsNumber(2, 2) || hours->IsNumber(4, 4))) {
    return false;
  }
  text += hours->text;
  int64_t seconds = ValueOf(hours->text.substr(0, 2)) * kHourSeconds;
  if (hours->text.size() == 4) seconds += ValueOf(hours->text.substr(2)) * 60;
  cursor.Take();
  if (cursor.Peek() != nullptr && cursor.Peek()->Is(":") &&
      cursor.Peek(1) != nullptr && cursor.Peek(1)->IsNumber(2, 2)) {
    cursor.Take();
    seconds += ValueOf(cursor.Peek()->text) * 60;
    text += ':';
    text += cursor.Take().text;
  }
  clock.has_zone = true;
  clock.offset = sign.back() == '-' ? -seconds : seconds;
  clock.parts.push_back({TimePart::kZone, std::move(text)});
  return seconds <= 18 * kHourSeconds;
}

/// Parses the name of a zone at the end of a cell: "CET", "Europe/Berlin" or
/// "[Europe/Berlin]". Its offset is unknown, so the time stays local.
bool TakeZoneName(TokenCursor& cursor, TimeOfDay& clock) {
  static const std::set<std::string, std::less<>> names = {
      "cet",  "cest", "met", "mest", "mez",  "mesz", "wet",  "west", "eet",
      "eest", "bst",  "ist", "msk",  "est",  "edt",  "cst",  "cdt",  "mst",
      "mdt",  "pst",  "pdt", "akst", "akdt", "hst",  "ast",  "adt",  "jst",
      "kst",  "hkt",  "sgt", "aest", "aedt", "acst", "acdt", "awst", "nzst",
      "nzdt", "sast", "brt", "uhr",  "h"};
  std::string text;
  while (!cursor.done()) text += cursor.Take().text;
  std::string_view name = text;
  if (name.starts_with('[') && name.ends_with(']')) {
    name = name.substr(1, name.size() - 2);
  }
  const size_t slash = name.find('/');
  const bool place =
      slash != name.npos && slash > 0 && slash + 1 < name.size() &&
      std::ranges::all_of(name, [](char c) {
        return IsAsciiLetter(c) || c == '/' || c == '_' || c == '-';
      });
  if (!place && !names.contains(Lowercase(name))) return false;
  clock.parts.push_back({TimePart::kLiteral, std::move(text)});
  return true;
}

/// Parses the rest of a time of day: AM or PM, and a zone.
bool TakeClockEnd(TokenCursor& cursor, TimeOfDay& clock, int64_t& hour) {
  while (!cursor.done()) {
    if (IsBlank(*cursor.Peek())) {
      clock.parts.push_back(
          {TimePart::kLiteral, std::string(cursor.Take().text)});
      continue;
    }
    const TimeToken& token = *cursor.Peek();
    const std::string word = Lowercase(token.text);
    if (word == "am" || word == "pm") {
      if (hour < 1 || hour > 12) return false;
      hour = hour % 12 + (word == "pm" ? 12 : 0);
      clock.parts.push_back({TimePart::kHalfOfDay, std::string(token.text)});
      cursor.Take();
    } else if (word == "z" || word == "utc" || word == "gmt") {
      clock.has_zone = true;
      clock.parts.push_back({TimePart::kLiteral, std::string(token.text)});
      cursor.Take();
    } else if (token.Is("+") || token.Is("-")) {
      if (!TakeOffset(cursor, clock)) return false;
    } else if (!TakeZoneName(cursor, clock)) {
      return false;
    }
  }
  return true;
}

}  // namespace

TimeTokens TimeTokensOf(std::string_view cell) {
  TimeTokens tokens;
  size_t begin = 0;
  for (size_t i = 1; i <= cell.size(); ++i) {
    const TimeToken::Kind kind = KindOf(cell[begin]);
    // The sign of an offset is a separate token: "13:00 +01:00".
    const bool sign = i < cell.size() && cell[i - 1] == ' ' &&
                      (cell[i] == '+' || cell[i] == '-');
    if (i < cell.size() && KindOf(cell[i]) == kind && !sign) continue;
    tokens.push_back({kind, cell.substr(begin, i - begin)});
    begin = i;
  }
  return tokens;
}

int64_t ValueOf(std::string_view digits) {
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

bool IsBlank(const TimeToken& token) {
  return token.kind == TimeToken::kOther &&
         token.text.find_first_not_of(' ') == std::string_view::npos;
}

bool IsHourSign(std::span<const TimeToken> tokens, size_t at) {
  return at > 0 && at + 1 < tokens.size() &&
         (tokens[at].Is("h") || tokens[at].Is("H")) &&
         tokens[at - 1].IsNumber(1, 2) && tokens[at + 1].IsNumber(2, 2);
}

bool IsHalfOfDay(std::string_view word) {
  const std::string lower = Lowercase(word);
  return lower == "am" || lower == "pm";
}

std::optional<TimeOfDay> ReadTimeOfDay(std::span<const TimeToken> tokens,
                                       bool compact) {
  TokenCursor cursor(tokens);
  TimeOfDay clock;
  std::array<int64_t, 3> parts{};  // hour, minute, second
  constexpr std::array kParts = {TimePart::kHour, TimePart::kMinute,
                                 TimePart::kSecond};
  if (compact) {
    const std::string_view digits = cursor.Take().text;
    for (size_t i = 0; 2 * i < digits.size(); ++i) {
      const std::string_view two = digits.substr(2 * i, 2);
      parts[i] = ValueOf(two);
      clock.parts.push_back({kParts[i], std::string(two)});
    }
  } else {
    for (size_t i = 0; i < parts.size(); ++i) {
      const TimeToken* token = cursor.Peek();
      if (token == nullptr || !token->IsNumber(i == 0 ? 1 : 2, 2)) {
        return std::nullopt;
      }
      parts[i] = ValueOf(token->text);
      clock.parts.push_back({kParts[i], std::string(cursor.Take().text)});
      const TimeToken* sign = cursor.Peek();
      const bool h = i == 0 && IsHourSign(tokens, 1);
      if (sign == nullptr || !(sign->Is(":") || h)) break;
      if (i + 1 == parts.size()) return std::nullopt;
      clock.parts.push_back(
          {TimePart::kLiteral, std::string(cursor.Take().text)});
    }
    // A single hour requires AM or PM: "1 PM".
    const size_t next =
        cursor.Peek() != nullptr && IsBlank(*cursor.Peek()) ? 1 : 0;
    const bool half =
        cursor.Peek(next) != nullptr && IsHalfOfDay(cursor.Peek(next)->text);
    if (clock.parts.size() < 3 && !half) return std::nullopt;
  }
  double fraction = 0;
  const TimeToken* mark = cursor.Peek();
  if (mark != nullptr && (mark->Is(".") || mark->Is(",")) &&
      cursor.Peek(1) != nullptr && cursor.Peek(1)->IsNumber(1, 9)) {
    clock.parts.push_back({TimePart::kLiteral, std::string(mark->text)});
    cursor.Take();
    const std::string digits(cursor.Take().text);
    fraction = static_cast<double>(ValueOf(digits)) /
               std::pow(10.0, static_cast<double>(digits.size()));
    clock.parts.push_back({TimePart::kFraction, digits});
  }
  if (!TakeClockEnd(cursor, clock, parts[0])) return std::nullopt;
  const bool midnight = parts[0] == 24 && parts[1] == 0 && parts[2] == 0;
  if ((parts[0] > 23 && !midnight) || parts[1] > 59 || parts[2] > 60) {
    return std::nullopt;
  }
  clock.moment =
      (parts[0] * kHourSeconds + parts[1] * 60 + parts[2] - clock.offset) *
          kSecond +
      std::llround(fraction * 1e6);
  return clock;
}

}  // namespace heed
