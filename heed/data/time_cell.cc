#include "heed/data/time_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "heed/base/text.h"
#include "heed/data/time_clock.h"
#include "heed/data/time_date.h"
#include "heed/data/time_names.h"

namespace heed {
namespace {

using Part = TimeReading::Part;

constexpr size_t kMaxTimeBytes = 64;
constexpr int64_t kSerialEpoch = -25569;  // 1899-12-30 in days
constexpr int64_t kSecondsOfHour = 3600;

void AddParts(TimeReading& to, const std::vector<Part>& parts) {
  to.parts.insert(to.parts.end(), parts.begin(), parts.end());
}

void AddReadings(const std::vector<DateParts>& dates, std::string_view between,
                 const std::optional<TimeOfDay>& clock, bool clock_first,
                 std::vector<TimeReading>& readings) {
  for (const DateParts& date : dates) {
    TimeReading reading;
    reading.form = date.form;
    reading.moment = *DaysOf(date.day) * kDay;
    if (clock && clock_first) AddParts(reading, clock->parts);
    if (!clock_first) AddParts(reading, date.parts);
    if (!between.empty()) {
      reading.parts.push_back({TimePart::kLiteral, std::string(between)});
    }
    if (clock_first) AddParts(reading, date.parts);
    if (clock) {
      if (!clock_first) AddParts(reading, clock->parts);
      reading.moment += clock->moment;
      reading.has_clock = true;
      reading.has_zone = clock->has_zone;
      reading.offset = clock->offset;
    }
    readings.push_back(std::move(reading));
  }
}

/// Index of the hour token: before the first colon, before the h of "13h00", or
/// before AM or PM. Nullopt if there is no clock.
std::optional<size_t> ClockAt(const TimeTokens& tokens) {
  for (size_t i = 1; i < tokens.size(); ++i) {
    const bool hour = tokens[i - 1].IsNumber(1, 2);
    if (hour && (tokens[i].Is(":") || IsHourSign(tokens, i))) return i - 1;
    const size_t next = IsBlank(tokens[i]) ? i + 1 : i;
    const bool apart = i == 1 || IsBlank(tokens[i - 2]);
    if (hour && apart && next < tokens.size() &&
        IsHalfOfDay(tokens[next].text)) {
      return i - 1;
    }
  }
  return std::nullopt;
}

/// Parses "20240131T130000Z", "20240131 1300" or "2024-01-31T13Z".
void ReadCompact(const TimeTokens& tokens, std::vector<TimeReading>& readings) {
  if (tokens.size() < 3) return;
  size_t at = 0;
  while (at < tokens.size() && !tokens[at].Is("T")) ++at;
  const bool iso = at > 0 && at + 1 < tokens.size();
  if (!iso) {
    at = 1;
    if (!tokens[0].IsNumber(8, 8)) return;
    if (!tokens[1].Is(" ") && !tokens[1].Is("_")) return;
  }
  const TimeToken& digits = tokens[at + 1];
  if (!digits.IsNumber(4, 4) && !digits.IsNumber(6, 6) &&
      !(iso && digits.IsNumber(2, 2))) {
    return;
  }
  const std::span<const TimeToken> all(tokens);
  const auto clock = ReadTimeOfDay(all.subspan(at + 1), true);
  if (!clock) return;
  AddReadings(ReadDate(all.first(at)), tokens[at].text, clock, false, readings);
}

/// Parses "Wed Jan 31 13:00:00 +0000 2024", where the year follows the clock.
/// `at`: first token of the clock.
void ReadYearLast(const TimeTokens& tokens, size_t at,
                  std::vector<TimeReading>& readings) {
  const size_t last = tokens.size() - 1;
  if (last < at + 2 || !tokens[last].IsNumber(4, 4) ||
      !IsBlank(tokens[last - 1])) {
    return;
  }
  const std::span<const TimeToken> all(tokens);
  const auto clock = ReadTimeOfDay(all.subspan(at, last - 1 - at), false);
  if (!clock) return;
  TimeTokens date(tokens.begin(),
                  tokens.begin() + static_cast<std::ptrdiff_t>(at) - 1);
  date.push_back(tokens[last - 1]);
  date.push_back(tokens[last]);
  for (DateParts& parts : ReadDate(date)) {
    const std::vector<Part> year(parts.parts.end() - 2, parts.parts.end());
    parts.parts.resize(parts.parts.size() - 2);
    AddReadings({std::move(parts)}, tokens[at - 1].text, clock, false,
                readings);
    AddParts(readings.back(), year);
  }
}

/// Parses an interval such as "01.01.2024 00:00 - 01.01.2024 01:00" as its
/// start.
std::vector<TimeReading> ReadInterval(std::string_view cell) {
  constexpr std::array<std::string_view, 2> kMarks = {" - ", " \u2013 "};
  for (const std::string_view mark : kMarks) {
    const size_t at = cell.find(mark);
    if (at == cell.npos) continue;
    std::vector<TimeReading> begin = ReadTime(cell.substr(0, at));
    const auto end = ReadTime(cell.substr(at + mark.size()));
    if (begin.empty() || end.empty()) continue;
    // "31.01.2024 - 13:00" is a date and a time, not an interval.
    const bool clock_alone = end.front().form == DateForm::kTimeOfDay;
    if (begin.front().has_clock || !clock_alone) return begin;
  }
  return {};
}

/// Parses "2024013113" and longer numbers.
void ReadDigits(std::string_view digits, std::vector<TimeReading>& readings) {
  if (digits.size() != 10 && digits.size() != 12 && digits.size() != 14) return;
  const TimeToken day = {TimeToken::kDigits, digits.substr(0, 8)};
  const TimeToken clock = {TimeToken::kDigits, digits.substr(8)};
  const auto read = ReadTimeOfDay(std::span(&clock, 1), true);
  if (!read) return;
  AddReadings(ReadDate(std::span(&day, 1)), "", read, false, readings);
}

struct CountedForm {
  DateForm form;
  double unit;  // Units: microseconds
  double min, max;
};

/// Ranges of numbers: years 1973 to 2128; for days 1954 to 2173.
constexpr std::array<CountedForm, 5> kCountedForms = {{
    {DateForm::kSeconds, 1e6, 1e8, 5e9},
    {DateForm::kMilliseconds, 1e3, 1e11, 5e12},
    {DateForm::kMicroseconds, 1, 1e14, 5e15},
    {DateForm::kNanoseconds, 1e-3, 1e17, 5e18},
    {DateForm::kSerial, 86400e6, 20000, 100000},
}};

void ReadCounted(std::string_view cell, std::vector<TimeReading>& readings) {
  const auto number = ParseNumber(cell);
  if (!number) return;
  for (const CountedForm& counted : kCountedForms) {
    if (*number < counted.min || *number > counted.max) continue;
    TimeReading reading;
    reading.form = counted.form;
    // Nanoseconds exceed the precision of a double.
    const auto whole = ParseInteger<int64_t>(cell);
    reading.moment = counted.unit < 1 && whole
                         ? *whole / 1000
                         : std::llround(*number * counted.unit);
    if (counted.form == DateForm::kSerial) {
      reading.moment += kSerialEpoch * kDay;
    }
    reading.has_clock = true;
    reading.parts = {{TimePart::kWhole, std::string(cell)}};
    readings.push_back(std::move(reading));
  }
}

std::string WriteCounted(Moment moment, const TimeReading& pattern) {
  const std::string& like = pattern.parts.front().text;
  if (pattern.form == DateForm::kNanoseconds) {
    return fmt::format("{}000", moment);
  }
  const auto* const form =
      std::ranges::find(kCountedForms, pattern.form, &CountedForm::form);
  if (form->form == DateForm::kSerial) moment -= kSerialEpoch * kDay;
  const double number = static_cast<double>(moment) / form->unit;
  const size_t point = like.find('.');
  if (point == std::string::npos && number == std::floor(number)) {
    return fmt::format("{:.0f}", number);
  }
  const size_t decimals =
      point == std::string::npos ? 6 : like.size() - point - 1;
  return fmt::format("{:.{}f}", number, decimals);
}

/// Formats the parts of a moment.
class TimeWriter {
 public:
  TimeWriter(Moment moment, const TimeReading& pattern, bool padded)
      : padded_(padded),
        days_(DaysBefore(moment)),
        day_(CalendarDayOf(days_)),
        rest_(moment - days_ * kDay),
        hour_(rest_ / (kSecondsOfHour * kSecond)) {
    halves_ = std::ranges::any_of(pattern.parts, [](const Part& part) {
      return part.part == TimePart::kHalfOfDay;
    });
    year_ = pattern.form == DateForm::kWeek ? WeekOf(days_).first : day_.year;
  }

  std::string Write(const Part& part) const {
    const std::string& read = part.text;
    switch (part.part) {
      case TimePart::kYear:
        return fmt::format("{:04}", year_);
      case TimePart::kShortYear:
        return fmt::format("{:02}", year_ % 100);
      case TimePart::kMonth:
        return Two(day_.month);
      case TimePart::kMonthName:
        return MonthNameLike(day_.month, read);
      case TimePart::kDay:
        return Two(day_.day);
      case TimePart::kWeekday:
        return WeekdayNameLike(static_cast<int>(WeekdayOfDays(days_)) + 1,
                               read);
      case TimePart::kQuarter:
        return fmt::format("{}", (day_.month + 2) / 3);
      case TimePart::kWeek:
        return Two(WeekOf(days_).second);
      case TimePart::kDayOfYear:
        return fmt::format("{:03}", days_ - *DaysOf({day_.year, 1, 1}) + 1);
      default:
        return WriteClock(part);
    }
  }

 private:
  std::string Two(int64_t number) const {
    return padded_ ? fmt::format("{:02}", number) : fmt::format("{}", number);
  }

  std::string WriteClock(const Part& part) const {
    const std::string& read = part.text;
    switch (part.part) {
      case TimePart::kHour:
        return Two(halves_ ? (hour_ + 11) % 12 + 1 : hour_);
      case TimePart::kMinute:
        return fmt::format("{:02}", rest_ / (60 * kSecond) % 60);
      case TimePart::kSecond:
        return fmt::format("{:02}", rest_ / kSecond % 60);
      case TimePart::kFraction:
        return fmt::format("{:06}000", rest_ % kSecond).substr(0, read.size());
      case TimePart::kHalfOfDay: {
        const bool upper = read[0] >= 'A' && read[0] <= 'Z';
        if (upper) return hour_ < 12 ? "AM" : "PM";
        return hour_ < 12 ? "am" : "pm";
      }
      default:
        return read;
    }
  }

  bool padded_;
  int64_t days_;
  CalendarDay day_;
  Moment rest_;  // time of day
  int64_t hour_;
  bool halves_ = false;  // with AM and PM
  int year_ = 0;
};

}  // namespace

std::string_view NameOf(DateForm form) {
  switch (form) {
    case DateForm::kYearMonthDay:
      return "year, month, day";
    case DateForm::kDayMonthYear:
      return "day, month, year";
    case DateForm::kMonthDayYear:
      return "month, day, year";
    case DateForm::kYearMonth:
      return "months";
    case DateForm::kYear:
      return "years";
    case DateForm::kQuarter:
      return "quarters";
    case DateForm::kWeek:
      return "weeks";
    case DateForm::kDayOfYear:
      return "year, day of the year";
    case DateForm::kSeconds:
      return "Unix seconds";
    case DateForm::kMilliseconds:
      return "Unix milliseconds";
    case DateForm::kMicroseconds:
      return "Unix microseconds";
    case DateForm::kNanoseconds:
      return "Unix nanoseconds";
    case DateForm::kSerial:
      return "days of a spreadsheet";
    case DateForm::kTimeOfDay:
      break;
  }
  return "time of day";
}

std::vector<TimeReading> ReadTime(std::string_view cell) {
  std::vector<TimeReading> readings;
  cell = TrimBlanks(cell);
  if (cell.empty() || cell.size() > kMaxTimeBytes) return readings;
  readings = ReadInterval(cell);
  if (!readings.empty()) return readings;
  const TimeTokens tokens = TimeTokensOf(cell);
  const std::span<const TimeToken> all(tokens);
  const std::optional<size_t> at = ClockAt(tokens);
  if (!at) {
    if (tokens.size() == 1) ReadDigits(cell, readings);
    ReadCompact(tokens, readings);
    AddReadings(ReadDate(all), "", std::nullopt, false, readings);
    const bool number =
        tokens[0].kind == TimeToken::kDigits &&
        (tokens.size() == 1 || (tokens.size() == 3 && tokens[1].Is(".")));
    if (number) ReadCounted(cell, readings);
    return readings;
  }
  if (*at == 0) {
    // "13:00 31.01.2024": the clock ends at a blank; otherwise the cell is a
    // clock.
    for (size_t size = 1; size < all.size() && readings.empty(); ++size) {
      if (!IsBlank(all[size])) continue;
      const auto first = ReadTimeOfDay(all.first(size), false);
      if (!first) continue;
      AddReadings(ReadDate(all.subspan(size + 1)), all[size].text, first, true,
                  readings);
    }
    const auto clock = ReadTimeOfDay(all, false);
    if (readings.empty() && clock) {
      readings.push_back({DateForm::kTimeOfDay, clock->moment, true,
                          clock->has_zone, clock->offset, clock->parts});
    }
    return readings;
  }
  const TimeToken& between = tokens[*at - 1];
  if (between.kind == TimeToken::kDigits) return readings;
  const auto clock = ReadTimeOfDay(all.subspan(*at), false);
  if (clock) {
    AddReadings(ReadDate(all.first(*at - 1)), between.text, clock, false,
                readings);
  } else {
    ReadYearLast(tokens, *at, readings);
  }
  return readings;
}

std::string WriteTime(Moment moment, const TimeReading& pattern, bool padded) {
  if (pattern.parts.size() == 1 &&
      pattern.parts.front().part == TimePart::kWhole) {
    return WriteCounted(moment, pattern);
  }
  const TimeWriter writer(moment + pattern.offset * kSecond, pattern, padded);
  std::string text;
  for (const Part& part : pattern.parts) text += writer.Write(part);
  return text;
}

}  // namespace heed
