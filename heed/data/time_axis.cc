#include "heed/data/time_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "heed/base/text.h"

namespace heed {
namespace {

constexpr int64_t kMonthsOfYear = 12;
constexpr int64_t kWeekDays = 7;

/// Day of the week of a moment; Monday is 0.
int64_t WeekdayOf(Moment moment) { return WeekdayOfDays(DaysBefore(moment)); }
bool IsWeekend(Moment moment) { return WeekdayOf(moment) >= 5; }

struct MonthPlace {
  int64_t month;  // since year 0
  int day;
  Moment clock;
  bool is_end;
};

MonthPlace PlaceInMonth(Moment moment) {
  const int64_t days = DaysBefore(moment);
  const CalendarDay day = CalendarDayOf(days);
  return {day.year * kMonthsOfYear + day.month - 1, day.day,
          moment - days * kDay, day.day == DaysInMonth(day.year, day.month)};
}

/// Most frequent value; the smaller one of a tie.
int64_t ModeOf(const std::vector<int64_t>& values) {
  std::map<int64_t, int64_t> counts;
  for (const int64_t value : values) ++counts[value];
  const auto max = std::ranges::max_element(
      counts, {}, [](const auto& entry) { return entry.second; });
  return max == counts.end() ? 0 : max->first;
}

/// Step in months, if all moments are on the same day of the month, or on its
/// last day, at the same time of day.
std::optional<TimeStep> MonthStep(std::span<const Moment> moments) {
  const MonthPlace first = PlaceInMonth(moments.front());
  bool same_day = true;
  bool ends = true;
  std::vector<int64_t> steps;
  MonthPlace before = first;
  for (const Moment moment : moments.subspan(1)) {
    const MonthPlace place = PlaceInMonth(moment);
    same_day &= place.day == first.day;
    ends &= place.is_end;
    if (place.clock != first.clock || !(same_day || (ends && first.is_end))) {
      return std::nullopt;
    }
    if (place.month > before.month) steps.push_back(place.month - before.month);
    before = place;
  }
  const int64_t months = ModeOf(steps);
  if (months == 0) return std::nullopt;
  return TimeStep{.months = months, .month_ends = ends && first.is_end};
}

bool HasBusinessDays(std::span<const Moment> moments) {
  if (std::ranges::any_of(moments, IsWeekend)) return false;
  return std::ranges::adjacent_find(moments, [](Moment a, Moment b) {
           return WeekdayOf(b) < WeekdayOf(a);
         }) != moments.end();
}

Moment BehindByMonths(Moment from, int64_t months, bool end) {
  const MonthPlace place = PlaceInMonth(from);
  const int64_t month = place.month + months;
  const int year = static_cast<int>(month / kMonthsOfYear);
  const int of_year = static_cast<int>(month % kMonthsOfYear) + 1;
  const int last = DaysInMonth(year, of_year);
  const int day = end ? last : std::min(place.day, last);
  return DaysOf({year, of_year, day}).value_or(0) * kDay + place.clock;
}

/// Number of working days before a working day.
int64_t WorkDaysBefore(Moment moment) {
  const int64_t days = DaysBefore(moment) + 3;  // since a Monday
  const int64_t weeks = days / kWeekDays - (days % kWeekDays < 0 ? 1 : 0);
  return weeks * 5 + WeekdayOf(moment);
}

/// Regularity of the moments in this order: the share of usual differences plus
/// the share of differences in the main direction.
double Evenness(const std::vector<Moment>& moments) {
  std::vector<int64_t> steps;
  int64_t rising = 0;
  for (size_t i = 1; i < moments.size(); ++i) {
    steps.push_back(moments[i] - moments[i - 1]);
    rising += steps.back() > 0 ? 1 : 0;
  }
  if (steps.empty()) return 0;
  const int64_t usual = ModeOf(steps);
  // Month steps count as even, too.
  const auto even = std::ranges::count_if(steps, [usual](int64_t step) {
    return std::abs(step - usual) <= 3 * kDay && std::abs(usual) >= 28 * kDay
               ? true
               : step == usual;
  });
  const auto count = static_cast<int64_t>(steps.size());
  return static_cast<double>(even) / static_cast<double>(count) +
         static_cast<double>(std::max(rising, count - rising)) /
             static_cast<double>(count);
}

/// Cells in one format.
class FormOfColumn {
 public:
  explicit FormOfColumn(const TimeReading& first) : form_(first.form) {
    column_.form = form_;
    column_.pattern = first;
  }

  /// Adds a cell. Returns false if none of its readings has the format.
  bool Add(const std::vector<TimeReading>& readings) {
    const auto found = std::ranges::find(readings, form_, &TimeReading::form);
    if (found == readings.end()) return false;
    column_.moments.push_back(found->moment);
    column_.local.push_back(found->moment + found->offset * kSecond);
    for (const auto& [part, text] : found->parts) {
      const bool short_number =
          part == TimePart::kDay || part == TimePart::kMonth ||
          part == TimePart::kHour || part == TimePart::kWeek;
      if (!short_number) continue;
      if (text.size() == 1) column_.padded = false;
    }
    const TimeReading& pattern = column_.pattern;
    const bool longer = found->parts.size() > pattern.parts.size() ||
                        (found->parts.size() == pattern.parts.size() &&
                         TextSize(*found) >= TextSize(pattern));
    if (longer) column_.pattern = *found;
    return true;
  }

  TimeColumn Take() { return std::move(column_); }
  DateForm form() const { return form_; }
  const TimeColumn& column() const { return column_; }
  const std::vector<Moment>& moments() const { return column_.moments; }

 private:
  static size_t TextSize(const TimeReading& reading) {
    size_t size = 0;
    for (const auto& part : reading.parts) size += part.text.size();
    return size;
  }

  DateForm form_;
  TimeColumn column_;
};

/// Parses numbers most of which rise by a constant step, such as seconds of an
/// experiment or days of a study.
std::optional<TimeColumn> ReadCounts(std::span<const std::string> cells) {
  if (cells.size() < 3) return std::nullopt;
  TimeColumn column;
  for (const std::string& cell : cells) {
    const auto number = ParseNumber(cell);
    if (!number || std::abs(*number) > 1e12) return std::nullopt;
    column.moments.push_back(std::llround(*number * 1e6));
  }
  std::vector<Moment> sorted = column.moments;
  std::ranges::sort(sorted);
  std::vector<int64_t> steps;
  for (size_t i = 1; i < sorted.size(); ++i) {
    steps.push_back(sorted[i] - sorted[i - 1]);
  }
  const TimeStep step{.microseconds = ModeOf(steps)};
  if (!IsRegular(sorted, step)) return std::nullopt;
  column.local = column.moments;
  column.form = column.pattern.form = DateForm::kSeconds;
  column.counts = column.numeric = true;
  column.pattern.parts = {{TimePart::kWhole, cells.back()}};
  return column;
}

Auto<DateOrder> OrderOf(DateForm form) {
  if (form == DateForm::kDayMonthYear) return DateOrder::kDayFirst;
  if (form == DateForm::kMonthDayYear) return DateOrder::kMonthFirst;
  return {};
}

/// Chooses among the formats that fit all cells.
TimeColumn Choose(std::vector<FormOfColumn> forms, Auto<DateOrder> order) {
  const auto rank = [&](const FormOfColumn& form) {
    const bool wanted = !order.open() && OrderOf(form.form()) == order.value();
    return std::pair(wanted, Evenness(form.moments()));
  };
  size_t best = 0;
  bool tie = false;
  for (size_t i = 1; i < forms.size(); ++i) {
    const auto a = rank(forms[best]);
    const auto b = rank(forms[i]);
    if (b > a) best = i;
    if (b >= a) tie = b == a;
  }
  const bool ordered = !OrderOf(forms[best].form()).open();
  const bool assumed = ordered && forms.size() > 1 && tie;
  if (assumed && order.open()) {
    // Assumes day first for points, month first for slashes.
    const auto first =
        std::ranges::find_if(forms, [](const FormOfColumn& form) {
          const TimeColumn& column = form.column();
          const auto slash =
              std::ranges::any_of(column.pattern.parts, [](const auto& part) {
                return part.part == TimePart::kLiteral && part.text == "/";
              });
          return OrderOf(form.form()) ==
                 (slash ? DateOrder::kMonthFirst : DateOrder::kDayFirst);
        });
    if (first != forms.end()) best = static_cast<size_t>(first - forms.begin());
  }
  TimeColumn column = forms[best].Take();
  column.order = OrderOf(column.form);
  column.assumed = assumed && order.open();
  return column;
}

std::vector<std::string> WordsOfName(std::string_view name) {
  std::vector<std::string> words(1);
  char before = 0;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        static_cast<unsigned char>(c) >= 0x80;
    const bool camel = before >= 'a' && before <= 'z' && c >= 'A' && c <= 'Z';
    if ((!letter || camel) && !words.back().empty()) words.emplace_back();
    if (letter) words.back() += c;
    before = c;
  }
  for (std::string& word : words) word = Lowercase(word);
  return words;
}

/// True if the name indicates elapsed time: "elapsed", "mjd".
bool CountsTime(std::string_view name) {
  constexpr std::array<std::string_view, 17> kNames = {
      "elapsed", "seconds", "secs",   "sec",   "minutes", "hours",
      "days",    "weeks",   "months", "years", "jd",      "mjd",
      "julian",  "datenum", "step",   "steps", "period"};
  return std::ranges::any_of(WordsOfName(name), [&](const std::string& word) {
    return std::ranges::find(kNames, word) != kNames.end();
  });
}

/// True if at least three sorted moments have constant steps.
bool IsEven(const std::vector<Moment>& sorted) {
  for (size_t i = 2; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] != sorted[1] - sorted[0]) return false;
  }
  return sorted.size() > 2;
}

bool NamesYear(std::string_view name) {
  return std::ranges::any_of(WordsOfName(name), [](const std::string& word) {
    return word == "year" || word == "yr" || word == "jahr" ||
           word == "année" || word == "año" || word == "anno";
  });
}

/// Parses years of three or four digits, also before 1800.
std::optional<TimeColumn> ReadYears(std::span<const std::string> cells) {
  std::optional<FormOfColumn> form;
  for (const std::string& cell : cells) {
    const auto year = ParseInteger<int>(cell);
    if (!year || *year < 100 || *year > 2999) return std::nullopt;
    const TimeReading reading = {
        .form = DateForm::kYear,
        .moment = DaysOf({*year, 1, 1}).value_or(0) * kDay,
        .parts = {{TimePart::kYear, cell}}};
    if (!form) form.emplace(reading);
    form->Add({reading});
  }
  if (!form) return std::nullopt;
  TimeColumn column = form->Take();
  column.numeric = true;
  return column;
}

}  // namespace

std::string TimeStep::Text() const {
  const auto counted = [](int64_t count, std::string_view unit) {
    return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
  };
  if (business_days) return "1 business day";
  if (months > 0 && months % kMonthsOfYear == 0) {
    return counted(months / kMonthsOfYear, "year");
  }
  if (months > 0) return counted(months, "month");
  constexpr std::array<std::pair<int64_t, std::string_view>, 5> kUnits = {
      {{7 * kDay, "week"},
       {kDay, "day"},
       {3600 * kSecond, "hour"},
       {60 * kSecond, "minute"},
       {kSecond, "second"}}};
  for (const auto& [unit, name] : kUnits) {
    if (microseconds >= unit && microseconds % unit == 0) {
      return counted(microseconds / unit, name);
    }
  }
  return fmt::format("{} seconds", static_cast<double>(microseconds) / 1e6);
}

std::optional<TimeColumn> ReadTimeColumn(std::span<const std::string> cells,
                                         Auto<DateOrder> order,
                                         std::string_view name) {
  std::vector<FormOfColumn> forms;
  bool first = true;
  for (const std::string& cell : cells) {
    const std::vector<TimeReading> readings = ReadTime(cell);
    if (first) {
      for (const TimeReading& reading : readings) forms.emplace_back(reading);
      first = false;
    }
    std::erase_if(forms,
                  [&](FormOfColumn& form) { return !form.Add(readings); });
    if (forms.empty()) break;
  }
  if (forms.empty()) {
    const auto years = NamesYear(name) ? ReadYears(cells) : std::nullopt;
    return years ? years : ReadCounts(cells);
  }
  TimeColumn column = Choose(std::move(forms), order);
  column.numeric = std::ranges::all_of(cells, [](const std::string& cell) {
    return ParseNumber(cell).has_value();
  });
  return column;
}

void CountDays(TimeColumn& column) {
  const std::vector<Moment> clocks = column.local;
  int64_t rises = 0;
  int64_t falls = 0;
  for (size_t i = 1; i < clocks.size(); ++i) {
    rises += clocks[i] > clocks[i - 1] ? 1 : 0;
    falls += clocks[i] < clocks[i - 1] ? 1 : 0;
  }
  const bool newest_first = falls > rises;
  Moment day = 0;
  for (size_t i = 1; i < clocks.size(); ++i) {
    if (newest_first && clocks[i] > clocks[i - 1]) day -= kDay;
    if (!newest_first && clocks[i] < clocks[i - 1]) day += kDay;
    column.local[i] += day;
    column.moments[i] += day;
  }
}

bool NamesTime(std::string_view name) {
  constexpr std::array<std::string_view, 33> kNames = {
      "date",   "time",      "datetime", "timestamp", "datum", "zeit",
      "ts",     "ds",        "epoch",    "unix",      "year",  "month",
      "day",    "hour",      "minute",   "quarter",   "week",  "jahr",
      "monat",  "tag",       "fecha",    "hora",      "heure", "jour",
      "period", "zeitpunkt", "ano",      "annee",     "t",     "uhrzeit",
      "dt",     "when",      "unixtime"};
  const std::vector<std::string> words = WordsOfName(name);
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(kNames, word) != kNames.end() ||
           word.ends_with("date") || word.ends_with("datum") ||
           word.ends_with("timestamp");
  });
}

NumericTime JudgeNumericTime(std::string_view name, bool first_column,
                             const TimeColumn& column) {
  const std::vector<Moment>& moments = column.moments;
  std::vector<Moment> sorted = moments;
  std::ranges::sort(sorted);
  const bool rising = sorted == moments;
  const bool falling = std::ranges::equal(
      sorted, std::vector<Moment>(moments.rbegin(), moments.rend()));
  const bool distinct = std::ranges::adjacent_find(sorted) == sorted.end();
  const bool named = NamesTime(name) || (name.empty() && first_column);
  if (column.counts) {
    if (named || CountsTime(name)) return NumericTime::kYes;
    return first_column && distinct && (rising || falling) && IsEven(sorted)
               ? NumericTime::kLikely
               : NumericTime::kNo;
  }
  if (named) {
    // Excludes values that repeat or jump, such as days of a month.
    const bool plausible = distinct || IsRegular(sorted, StepOf(sorted)) ||
                           column.form != DateForm::kYear;
    return plausible ? NumericTime::kYes : NumericTime::kNo;
  }
  const bool telling = column.form == DateForm::kYear ||
                       column.pattern.parts.size() > 2 ||
                       column.form == DateForm::kMilliseconds ||
                       column.form == DateForm::kSeconds;
  const bool even = moments.size() > 2 && distinct && (rising || falling) &&
                    IsRegular(sorted, StepOf(sorted));
  return first_column && telling && even ? NumericTime::kLikely
                                         : NumericTime::kNo;
}

TimeStep StepOf(std::span<const Moment> moments) {
  if (moments.size() < 2) return {};
  if (const auto months = MonthStep(moments)) return *months;
  std::vector<int64_t> steps;
  for (size_t i = 1; i < moments.size(); ++i) {
    if (moments[i] > moments[i - 1])
      steps.push_back(moments[i] - moments[i - 1]);
  }
  TimeStep step{.microseconds = ModeOf(steps)};
  step.business_days = step.microseconds == kDay && HasBusinessDays(moments);
  return step;
}

int64_t StepsBetween(Moment from, Moment to, const TimeStep& step) {
  if (step.months > 0) {
    const int64_t months = PlaceInMonth(to).month - PlaceInMonth(from).month;
    return (2 * months + step.months) / (2 * step.months);
  }
  if (step.business_days) return WorkDaysBefore(to) - WorkDaysBefore(from);
  if (step.microseconds == 0) return 0;
  return (to - from + step.microseconds / 2) / step.microseconds;
}

bool IsRegular(std::span<const Moment> moments, const TimeStep& step) {
  if (!step.known()) return false;
  int64_t single = 0;
  for (size_t i = 1; i < moments.size(); ++i) {
    const bool near = StepsBetween(moments[i - 1], moments[i], step) == 1;
    const bool exact = step.microseconds == 0 || step.business_days ||
                       moments[i] - moments[i - 1] == step.microseconds;
    single += near && exact ? 1 : 0;
  }
  return 2 * single >= std::ssize(moments) - 1;
}

std::vector<Moment> MomentsBehind(Moment last, const TimeStep& step,
                                  int64_t count) {
  std::vector<Moment> moments;
  // About the year 9999, the last year of times in cells.
  constexpr double kLastMoment = 2.5e17;
  const double ahead = step.months > 0 ? static_cast<double>(step.months) * 31 *
                                             static_cast<double>(kDay)
                                       : static_cast<double>(step.microseconds);
  const double end =
      static_cast<double>(last) + 2 * ahead * static_cast<double>(count);
  if (!step.known() || end > kLastMoment) return moments;
  for (int64_t i = 1; i <= count; ++i) {
    if (step.months > 0) {
      moments.push_back(BehindByMonths(last, i * step.months, step.month_ends));
    } else if (step.business_days) {
      Moment next = moments.empty() ? last + kDay : moments.back() + kDay;
      while (IsWeekend(next)) next += kDay;
      moments.push_back(next);
    } else {
      moments.push_back(last + i * step.microseconds);
    }
  }
  return moments;
}

}  // namespace heed
