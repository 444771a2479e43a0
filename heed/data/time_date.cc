#include "heed/data/time_date.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "heed/base/text.h"
#include "heed/data/time_names.h"

namespace heed {
namespace {

using Part = TimeReading::Part;

constexpr int kFirstYear = 1000;
constexpr int kLastYear = 2999;
/// Range of years in dates without separators.
constexpr int kFirstDigitYear = 1800;
constexpr int kLastDigitYear = 2199;
/// Largest two-digit year of the 21st century, as in POSIX.
constexpr int kLastShortYear = 68;

int YearOf(std::string_view digits) {
  const auto year = static_cast<int>(ValueOf(digits));
  if (digits.size() > 2) return year;
  return year + (year <= kLastShortYear ? 2000 : 1900);
}

class DateReader {
 public:
  explicit DateReader(std::span<const TimeToken> tokens) : tokens_(tokens) {}

  std::vector<DateParts> Read() {
    TakeWeekday();
    const size_t count = tokens_.size();
    if (count == 1) OneNumber();
    if (count == 2 || count == 3) TwoParts();
    if (count >= 3 && count <= 4) LetterParts();
    if (count == 5) ThreeParts(0, 2, 4);
    if (count == 4) {
      ThreeParts(0, 1, 3);  // "31Jan 2024"
      ThreeParts(0, 2, 3);
    }
    if (count == 3) ThreeParts(0, 1, 2);  // "31Jan2024"
    if (count == 3 && tokens_[1].Is("-")) Ordinal();
    if (count >= 4) EastAsian();
    return std::move(read_);
  }

 private:
  void TakeWeekday() {
    if (tokens_.size() < 3 || tokens_[0].kind != TimeToken::kLetters ||
        tokens_[1].kind != TimeToken::kOther ||
        WeekdayOfName(tokens_[0].text) == 0) {
      return;
    }
    before_ = {{TimePart::kWeekday, std::string(tokens_[0].text)},
               {TimePart::kLiteral, std::string(tokens_[1].text)}};
    tokens_ = tokens_.subspan(2);
  }

  /// Adds a date. `roles`: part of each token.
  void Add(DateForm form, CalendarDay day, std::span<const TimePart> roles) {
    if (day.year < kFirstYear || day.year > kLastYear || !DaysOf(day)) return;
    DateParts parts = {form, day, before_};
    for (size_t i = 0; i < tokens_.size(); ++i) {
      parts.parts.push_back({roles[i], std::string(tokens_[i].text)});
    }
    read_.push_back(std::move(parts));
  }

  /// Parses digits without separators: "20240131", "202401", "2024", "2024031",
  /// "31012024".
  void OneNumber() {
    const std::string_view text = tokens_[0].text;
    if (tokens_[0].IsNumber(7, 7)) {
      DayOfYear(text.substr(0, 4), text.substr(4), "");
    }
    if (!tokens_[0].IsNumber(4, 8) || text.size() % 2 != 0) return;
    if (text.size() == 8) {
      YearLast(DateForm::kDayMonthYear, {TimePart::kDay, TimePart::kMonth});
      YearLast(DateForm::kMonthDayYear, {TimePart::kMonth, TimePart::kDay});
    }
    CalendarDay day;
    day.year = static_cast<int>(ValueOf(text.substr(0, 4)));
    std::vector<Part> parts = before_;
    parts.push_back({TimePart::kYear, std::string(text.substr(0, 4))});
    DateForm form = DateForm::kYear;
    if (text.size() >= 6) {
      form = DateForm::kYearMonth;
      day.month = static_cast<int>(ValueOf(text.substr(4, 2)));
      parts.push_back({TimePart::kMonth, std::string(text.substr(4, 2))});
    }
    if (text.size() == 8) {
      form = DateForm::kYearMonthDay;
      day.day = static_cast<int>(ValueOf(text.substr(6, 2)));
      parts.push_back({TimePart::kDay, std::string(text.substr(6, 2))});
    }
    AddDigits(form, day, std::move(parts));
  }

  /// Parses eight digits that end with the year.
  void YearLast(DateForm form, std::array<TimePart, 2> first) {
    const std::string_view text = tokens_[0].text;
    CalendarDay day;
    std::vector<Part> parts = before_;
    for (size_t i = 0; i < first.size(); ++i) {
      const std::string_view two = text.substr(2 * i, 2);
      (first[i] == TimePart::kDay ? day.day : day.month) =
          static_cast<int>(ValueOf(two));
      parts.push_back({first[i], std::string(two)});
    }
    day.year = static_cast<int>(ValueOf(text.substr(4)));
    parts.push_back({TimePart::kYear, std::string(text.substr(4))});
    AddDigits(form, day, std::move(parts));
  }

  void AddDigits(DateForm form, CalendarDay day, std::vector<Part> parts) {
    if (day.year < kFirstDigitYear || day.year > kLastDigitYear ||
        !DaysOf(day)) {
      return;
    }
    read_.push_back({form, day, std::move(parts)});
  }

  /// Parses a day of the year: "2024-031".
  void Ordinal() {
    if (!tokens_[0].IsNumber(4, 4) || !tokens_[2].IsNumber(3, 3)) return;
    DayOfYear(tokens_[0].text, tokens_[2].text, "-");
  }

  void DayOfYear(std::string_view year, std::string_view day,
                 std::string_view between) {
    const auto number = static_cast<int>(ValueOf(year));
    const auto first = DaysOf({number, 1, 1});
    const int64_t of_year = ValueOf(day);
    if (!first || of_year < 1) return;
    const CalendarDay date = CalendarDayOf(*first + of_year - 1);
    if (date.year != number) return;
    std::vector<Part> parts = {{TimePart::kYear, std::string(year)}};
    if (!between.empty()) {
      parts.push_back({TimePart::kLiteral, std::string(between)});
    }
    parts.push_back({TimePart::kDayOfYear, std::string(day)});
    AddDigits(DateForm::kDayOfYear, date, std::move(parts));
  }

  /// Parses "2024年1月31日", with or without blanks.
  void EastAsian() {
    constexpr std::array<std::array<std::string_view, 2>, 3> kSigns = {
        {{"年", "년"}, {"月", "월"}, {"日", "일"}}};
    std::array<int, 3> numbers = {0, 1, 1};
    std::vector<TimePart> roles(tokens_.size(), TimePart::kLiteral);
    size_t found = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (IsBlank(tokens_[i])) continue;
      const bool fits = found < kSigns.size() && i + 1 < tokens_.size() &&
                        tokens_[i].IsNumber(found == 0 ? 4 : 1, 4) &&
                        (tokens_[i + 1].Is(kSigns[found][0]) ||
                         tokens_[i + 1].Is(kSigns[found][1]));
      if (!fits) return;
      constexpr std::array kRoles = {TimePart::kYear, TimePart::kMonth,
                                     TimePart::kDay};
      roles[i] = kRoles[found];
      numbers[found++] = static_cast<int>(ValueOf(tokens_[i].text));
      ++i;
    }
    if (found < 2) return;
    Add(found == 3 ? DateForm::kYearMonthDay : DateForm::kYearMonth,
        {numbers[0], numbers[1], numbers[2]}, roles);
  }

  static bool IsSeparator(const TimeToken& token) {
    return token.kind == TimeToken::kOther &&
           token.text.find_first_not_of("-/., ") == std::string_view::npos;
  }

  /// Parses month and year: "2024-01", "01/2024", "Jan 2024", "Jan2024".
  void TwoParts() {
    const size_t last = tokens_.size() - 1;
    if (last == 2 && !IsSeparator(tokens_[1])) return;
    MonthAndYear(0, last);
    MonthAndYear(last, 0);
  }

  /// Parses year and month at these indices, in two or three tokens.
  void MonthAndYear(size_t month, size_t year) {
    const TimeToken& y = tokens_[year];
    const TimeToken& m = tokens_[month];
    const int named = m.kind == TimeToken::kLetters ? MonthOfName(m.text) : 0;
    const bool short_year = named > 0 && y.IsNumber(2, 2);
    if (!y.IsNumber(4, 4) && !short_year) return;
    // "1.2024" is a number, not a month.
    const bool divided =
        tokens_.size() == 3 &&
        tokens_[1].text.find_first_of(".,") == std::string_view::npos;
    if (named == 0 && !(m.IsNumber(1, 2) && divided)) return;
    std::array<TimePart, 3> roles = {TimePart::kLiteral, TimePart::kLiteral,
                                     TimePart::kLiteral};
    roles[year] = short_year ? TimePart::kShortYear : TimePart::kYear;
    roles[month] = named > 0 ? TimePart::kMonthName : TimePart::kMonth;
    Add(DateForm::kYearMonth,
        {YearOf(y.text), named > 0 ? named : static_cast<int>(ValueOf(m.text)),
         1},
        roles);
  }

  /// Parses a year and a number next to a letter: "2024Q1", "Q1 2024",
  /// "2024-W05", "2024M01", "1Q 2024".
  void LetterParts() {
    std::vector<size_t> numbers;
    std::string letter;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TimeToken::kDigits) numbers.push_back(i);
      if (tokens_[i].kind == TimeToken::kLetters) letter += tokens_[i].text;
      if (tokens_[i].kind == TimeToken::kOther && !IsSeparator(tokens_[i]))
        return;
    }
    Numbered(numbers, Lowercase(letter));
  }

  void Numbered(const std::vector<size_t>& numbers, const std::string& letter) {
    if (numbers.size() != 2) return;
    const bool year_first = tokens_[numbers[0]].IsNumber(4, 4);
    const size_t year = numbers[year_first ? 0 : 1];
    const size_t other = numbers[year_first ? 1 : 0];
    if (!tokens_[year].IsNumber(4, 4)) return;
    std::vector<TimePart> roles(tokens_.size(), TimePart::kLiteral);
    roles[year] = TimePart::kYear;
    CalendarDay day = {YearOf(tokens_[year].text), 1, 1};
    const auto number = static_cast<int>(ValueOf(tokens_[other].text));
    if (letter == "q" && tokens_[other].IsNumber(1, 1) && number >= 1 &&
        number <= 4) {
      day.month = 3 * number - 2;
      roles[other] = TimePart::kQuarter;
      Add(DateForm::kQuarter, day, roles);
    } else if (letter == "m" && tokens_[other].IsNumber(1, 2)) {
      day.month = number;
      roles[other] = TimePart::kMonth;
      Add(DateForm::kYearMonth, day, roles);
    } else if (letter == "w" && tokens_[other].IsNumber(1, 2) && number >= 1 &&
               number <= 53) {
      // ISO week 1 contains January 4; weeks begin on Monday.
      const int64_t fourth = *DaysOf({day.year, 1, 4});
      const int64_t monday = fourth - WeekdayOfDays(fourth);
      roles[other] = TimePart::kWeek;
      Add(DateForm::kWeek, CalendarDayOf(monday + 7 * (number - 1)), roles);
    }
  }

  /// Parses day, month and year at these indices, in any order.
  void ThreeParts(size_t a, size_t b, size_t c) {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const bool part = i == a || i == b || i == c;
      if (part == (tokens_[i].kind == TimeToken::kOther)) return;
      if (!part && !IsSeparator(tokens_[i])) return;
    }
    DayMonthYear(DateForm::kYearMonthDay, {c, b, a});
    DayMonthYear(DateForm::kDayMonthYear, {a, b, c});
    DayMonthYear(DateForm::kMonthDayYear, {b, a, c});
  }

  /// Parses a date. `at`: indices of day, month and year.
  void DayMonthYear(DateForm form, std::array<size_t, 3> at) {
    const TimeToken& d = tokens_[at[0]];
    const TimeToken& m = tokens_[at[1]];
    const TimeToken& y = tokens_[at[2]];
    const int named = m.kind == TimeToken::kLetters ? MonthOfName(m.text) : 0;
    if (!d.IsNumber(1, 2) || (named == 0 && !m.IsNumber(1, 2))) return;
    if (!y.IsNumber(4, 4) && !y.IsNumber(2, 2)) return;
    // "31-Jan-24" does not begin with the year.
    if (form == DateForm::kYearMonthDay && named > 0 && y.IsNumber(2, 2)) {
      return;
    }
    std::vector<TimePart> roles(tokens_.size(), TimePart::kLiteral);
    roles[at[0]] = TimePart::kDay;
    roles[at[1]] = named > 0 ? TimePart::kMonthName : TimePart::kMonth;
    roles[at[2]] = y.text.size() == 2 ? TimePart::kShortYear : TimePart::kYear;
    Add(form,
        {YearOf(y.text), named > 0 ? named : static_cast<int>(ValueOf(m.text)),
         static_cast<int>(ValueOf(d.text))},
        roles);
  }

  std::span<const TimeToken> tokens_;
  std::vector<Part> before_;
  std::vector<DateParts> read_;
};

}  // namespace

std::vector<DateParts> ReadDate(std::span<const TimeToken> tokens) {
  return DateReader(tokens).Read();
}

}  // namespace heed
