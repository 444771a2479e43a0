// Times in table cells: parsing, and formatting in the same format.
#ifndef HEED_DATA_TIME_CELL_H_
#define HEED_DATA_TIME_CELL_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/calendar.h"

namespace heed {

/// Order of the parts of a date, or unit of a number.
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
  kSerial,     ///< spreadsheet days, since 1899-12-30
  kTimeOfDay,  ///< without a date
};
/// Name for messages, such as "day.month.year".
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
  kWhole,  ///< a plain number
};

/// One interpretation of a cell.
struct TimeReading {
  struct Part {
    TimePart part;
    std::string text;
  };

  DateForm form = DateForm::kYearMonthDay;
  Moment moment = 0;
  bool has_clock = false;  ///< includes a time of day
  bool has_zone = false;
  int64_t offset = 0;  ///< offset of the zone. Units: seconds
  std::vector<Part> parts;
};

/// All interpretations of a cell as a time: none for other texts, several for
/// "01/02/2024" and for numbers.
std::vector<TimeReading> ReadTime(std::string_view cell);

/// Formats a moment like the cell of `pattern`. `padded`: numbers below ten
/// have a leading zero.
std::string WriteTime(Moment moment, const TimeReading& pattern, bool padded);

}  // namespace heed

#endif  // HEED_DATA_TIME_CELL_H_
