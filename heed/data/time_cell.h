// A time as a cell of a table writes it, and as it writes another one.
#ifndef HEED_DATA_TIME_CELL_H_
#define HEED_DATA_TIME_CELL_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/calendar.h"

namespace heed {

/// The order of the parts of a date, or what else a cell counts.
enum class DateForm : uint8_t {
  kYearMonthDay,
  kDayMonthYear,
  kMonthDayYear,
  kYearMonth,
  kYear,
  kQuarter,
  kWeek,
  kDayOfYear,
  kSeconds,  ///< since 1970, with fractions
  kMilliseconds,
  kMicroseconds,
  kNanoseconds,
  kSerial,     ///< days of a spreadsheet, since 1899-12-30
  kTimeOfDay,  ///< without a date
};
/// "day.month.year" and the like, for messages.
std::string_view NameOf(DateForm form);

/// Meaning of a part of a time cell.
enum class TimePart : uint8_t {
  kLiteral,
  kYear,
  kShortYear,
  kMonth,
  kMonthName,
  kDay,
  kWeekday,
  kQuarter,
  kWeek,
  kDayOfYear,
  kHour,
  kMinute,
  kSecond,
  kFraction,
  kHalfOfDay,  ///< AM or PM
  kZone,
  kWhole,  ///< a number that counts
};

/// One way to read a cell.
struct TimeReading {
  struct Part {
    TimePart part;
    std::string text;
  };

  DateForm form = DateForm::kYearMonthDay;
  Moment moment = 0;
  bool has_clock = false;  ///< a time of day
  bool has_zone = false;
  int64_t offset = 0;  ///< of the zone. Units: seconds
  std::vector<Part> parts;
};

/// All ways to read a cell as a time: none if it is none, several for
/// "01/02/2024" and for numbers.
std::vector<TimeReading> ReadTime(std::string_view cell);

/// Writes a moment as the cell of `pattern` is written. `padded`: numbers below
/// ten have a leading zero.
std::string WriteTime(Moment moment, const TimeReading& pattern, bool padded);

}  // namespace heed

#endif  // HEED_DATA_TIME_CELL_H_
