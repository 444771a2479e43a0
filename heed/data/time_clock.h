// A time of day within a cell, and the tokens that a cell is cut into.
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

  bool IsNumber(size_t least, size_t most) const {
    return kind == kDigits && text.size() >= least && text.size() <= most;
  }
  bool Is(std::string_view other) const { return text == other; }
};

using TimeTokens = std::vector<TimeToken>;
TimeTokens TimeTokensOf(std::string_view cell);
bool IsBlank(const TimeToken& token);
/// Whether token `at` is the h of "13h00", between digits.
bool IsHourSign(std::span<const TimeToken> tokens, size_t at);
/// Whether a word is AM or PM.
bool IsHalfOfDay(std::string_view word);
/// The number of these digits.
int64_t ValueOf(std::string_view digits);

/// The time of day at the end, or the start, of a cell.
struct TimeOfDay {
  Moment moment = 0;
  bool has_zone = false;
  int64_t offset = 0;
  std::vector<TimeReading::Part> parts;
};

/// "13:00", "13:00:00.25", "1:00 PM", "130000" (`compact`), with a zone.
std::optional<TimeOfDay> ReadTimeOfDay(std::span<const TimeToken> tokens,
                                       bool compact);

}  // namespace heed

#endif  // HEED_DATA_TIME_CLOCK_H_
