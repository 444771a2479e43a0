// Points in time, and days of the Gregorian calendar.
#ifndef HEED_DATA_CALENDAR_H_
#define HEED_DATA_CALENDAR_H_

#include <cstdint>
#include <optional>
#include <utility>

namespace heed {

/// Microseconds since 1970-01-01 00:00 on the file's clock; UTC if its times
/// have a zone.
using Moment = int64_t;

inline constexpr Moment kSecond = 1'000'000;
inline constexpr Moment kDay = 86'400 * kSecond;

/// A day of the Gregorian calendar.
struct CalendarDay {
  int year = 1970;
  int month = 1;
  int day = 1;

  bool operator==(const CalendarDay&) const = default;
};

/// Days since 1970-01-01; nullopt if the day does not exist.
std::optional<int64_t> DaysOf(const CalendarDay& day);
CalendarDay CalendarDayOf(int64_t days);
/// Whole days since 1970-01-01, rounded down (negative before 1970).
int64_t DaysBefore(Moment moment);
int DaysInMonth(int year, int month);
/// Day of the week from 0 (Monday).
int64_t WeekdayOfDays(int64_t days);
/// Year and number of a day's ISO week.
std::pair<int, int> WeekOf(int64_t days);

}  // namespace heed

#endif  // HEED_DATA_CALENDAR_H_
