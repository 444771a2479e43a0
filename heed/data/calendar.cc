#include "heed/data/calendar.h"

#include <chrono>

namespace heed {

std::optional<int64_t> DaysOf(const CalendarDay& day) {
  const std::chrono::year_month_day date(
      std::chrono::year(day.year),
      std::chrono::month(static_cast<unsigned>(day.month)),
      std::chrono::day(static_cast<unsigned>(day.day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

CalendarDay CalendarDayOf(int64_t days) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days(days)}};
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

int64_t DaysBefore(Moment moment) {
  return moment / kDay - (moment % kDay < 0 ? 1 : 0);
}

int DaysInMonth(int year, int month) {
  const std::chrono::year_month_day_last last(
      std::chrono::year(year), std::chrono::month_day_last(std::chrono::month(
                                   static_cast<unsigned>(month))));
  return static_cast<int>(static_cast<unsigned>(last.day()));
}

int64_t WeekdayOfDays(int64_t days) { return ((days + 3) % 7 + 7) % 7; }

std::pair<int, int> WeekOf(int64_t days) {
  const int64_t thursday = days - WeekdayOfDays(days) + 3;
  const int year = CalendarDayOf(thursday).year;
  const int64_t first = *DaysOf({year, 1, 1});
  return {year, static_cast<int>((thursday - first) / 7) + 1};
}

}  // namespace heed
