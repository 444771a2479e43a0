// Tokens of a cell, and times of day within it.
#ifndef HEED_DATA_TIME_CLOCK_H_
#define HEED_DATA_TIME_CLOCK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heed/data/calendar.h"
#include "heed/data/time_cell.h"

namespace heed {

/// A run of digits, of letters, or of other bytes.
struct TimeToken {
  enum Kind : uint8_t { kDigits, kLetters, kOther };
  Kind kind;
  std::string_view text;

  bool IsNumber(size_t min, size_t max) const {
    return kind == kDigits && text.size() >= min && text.size() <= max;
  }
  bool Is(std::string_view other) const { return text == other; }
};

using TimeTokens = std::vector<TimeToken>;
TimeTokens TimeTokensOf(std::string_view cell);
bool IsBlank(const TimeToken& token);
/// True if token `at` is the h of "13h00", between digits.
bool IsHourSign(std::span<const TimeToken> tokens, size_t at);
/// True if the word is AM or PM.
bool IsHalfOfDay(std::string_view word);
/// Value of decimal digits.
int64_t ValueOf(std::string_view digits);

/// A time of day at the start or the end of a cell.
struct TimeOfDay {
  Moment moment = 0;
  bool has_zone = false;
  int64_t offset = 0;
  std::vector<TimeReading::Part> parts;
};

/// Parses "13:00", "13:00:00.25", "1:00 PM" or, if `compact`, "130000", with an
/// optional zone.
std::optional<TimeOfDay> ReadTimeOfDay(std::span<const TimeToken> tokens,
                                       bool compact);

}  // namespace heed

#endif  // HEED_DATA_TIME_CLOCK_H_
