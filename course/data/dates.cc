#include "course/data/dates.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/shuffle.h"

namespace heed {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr sys_days kFirstDay{std::chrono::year{1900} / 1 / 1};
constexpr sys_days kEndDay{std::chrono::year{2100} / 1 / 1};
constexpr size_t kDays = static_cast<size_t>((kEndDay - kFirstDay).count());

// Every day has more texts than this, so rejection sampling ends quickly.
constexpr size_t kTextsPerDay = 16;

constexpr auto kFormats = std::to_array<std::string_view>({
    "{year}-{mm}-{dd}",
    "{year}/{mm}/{dd}",
    "{year}.{mm}.{dd}",
    "{year}{mm}{dd}",
    "{d}.{m}.{year}",
    "{dd}.{mm}.{year}",
    "{dd}-{mm}-{year}",
    "{m}/{d}/{year}",
    "{mm}/{dd}/{year}",
    "{d} {month} {year}",
    "{d} {mon} {year}",
    "{dd} {mon} {year}",
    "{dth} {month} {year}",
    "{dth} of {month} {year}",
    "{dth} of {mon} {year}",
    "the {dth} of {month}, {year}",
    "{month} {d} {year}",
    "{month} {d}, {year}",
    "{month} {dth}, {year}",
    "{month} the {dth}, {year}",
    "{mon} {d}, {year}",
    "{mon} {dd}, {year}",
    "{mon}. {d}, {year}",
    "{d}-{mon}-{year}",
    "{dd}-{mon}-{year}",
    "{d}/{mon}/{year}",
    "{year} {month} {d}",
    "{year}, {month} {dth}",
    "{year}-{mon}-{dd}",
    "{weekday}, {d} {month} {year}",
    "{weekday}, {month} {d}, {year}",
    "{weekday} {month} {dth} {year}",
    "{weekday} the {dth} of {month} {year}",
    "{wday}, {dd} {mon} {year}",
    "{wday} {mon} {d} {year}",
    "the {day_word} of {month} {year}",
    "{month} the {day_word}, {year}",
    "{weekday}, the {day_word} of {month}, {year}",
    "{day_word} of {month} {year_words}",
    "{month} {dth}, {year_words}",
});

constexpr std::array<std::string_view, 7> kWeekdays = {
    "Sunday",   "Monday", "Tuesday", "Wednesday",
    "Thursday", "Friday", "Saturday"};

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};

constexpr std::array<std::string_view, 20> kNumbers = {
    "",        "one",     "two",       "three",    "four",
    "five",    "six",     "seven",     "eight",    "nine",
    "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};

constexpr std::array<std::string_view, 10> kTens = {
    "",      "",      "twenty",  "thirty", "forty",
    "fifty", "sixty", "seventy", "eighty", "ninety"};

constexpr std::array<std::string_view, 20> kOrdinals = {
    "",          "first",     "second",      "third",      "fourth",
    "fifth",     "sixth",     "seventh",     "eighth",     "ninth",
    "tenth",     "eleventh",  "twelfth",     "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};

// Returns an English ordinal number: 5 -> 5th.
std::string Ordinal(unsigned day) {
  constexpr std::array<std::string_view, 4> kSuffixes = {"th", "st", "nd",
                                                         "rd"};
  const bool teen = day / 10 == 1;
  return fmt::format("{}{}", day,
                     kSuffixes[teen || day % 10 > 3 ? 0 : day % 10]);
}

// Returns an ordinal number in words: 21 -> twenty-first.
std::string OrdinalWord(unsigned day) {
  if (day < 20) return std::string(kOrdinals[day]);
  if (day % 10 == 0) return day == 20 ? "twentieth" : "thirtieth";
  return fmt::format("{}-{}", kTens[day / 10], kOrdinals[day % 10]);
}

// Returns a year in words: 1905 -> nineteen oh five.
std::string YearWords(unsigned year) {
  const unsigned rest = year % 100;
  if (year == 2000) return "two thousand";
  if (year / 10 == 200) return fmt::format("two thousand {}", kNumbers[rest]);
  const std::string_view century = year < 2000 ? kNumbers[19] : kTens[2];
  if (rest == 0) return fmt::format("{} hundred", century);
  if (rest < 10) return fmt::format("{} oh {}", century, kNumbers[rest]);
  if (rest < 20) return fmt::format("{} {}", century, kNumbers[rest]);
  return fmt::format("{} {}{}{}", century, kTens[rest / 10],
                     rest % 10 == 0 ? "" : "-", kNumbers[rest % 10]);
}

// Returns the text unchanged, in lower case or in upper case, regardless of the
// locale.
std::string RandomCase(std::string text, Rng& rng) {
  const uint64_t style = rng.Below(3);
  for (char& c : text) {
    if (style == 1 && c >= 'A' && c <= 'Z') c += 'a' - 'A';
    if (style == 2 && c >= 'a' && c <= 'z') c -= 'a' - 'A';
  }
  return text;
}

// Returns the example for day `day` after the first day.
DateExample Write(size_t day, Rng& rng) {
  const year_month_day date = kFirstDay + days{day};
  const std::string_view format = kFormats[rng.Below(kFormats.size())];
  return {RandomCase(FormatDate(date, format), rng),
          FormatDate(date, kFormats[0])};
}

// Makes `count` distinct texts on days of `choice`.
ParallelText DistinctDates(std::string_view part, int count,
                           std::span<const size_t> choice, Rng& rng) {
  const size_t limit = choice.size() * kTextsPerDay;
  if (count < 0 || static_cast<size_t>(count) > limit) {
    throw ConfigError("date task: {} {} texts requested; choose 0 to {}", count,
                      part, limit);
  }
  ParallelText text;
  std::unordered_set<std::string> seen;
  while (seen.size() < static_cast<size_t>(count)) {
    DateExample example = Write(choice[rng.Below(choice.size())], rng);
    if (!seen.insert(example.text).second) continue;
    text.source.push_back(std::move(example.text));
    text.target.push_back(std::move(example.iso));
  }
  return text;
}

}  // namespace

std::span<const std::string_view> DateFormats() { return kFormats; }

std::string FormatDate(year_month_day date, std::string_view format) {
  const unsigned day = static_cast<unsigned>(date.day());
  const unsigned month = static_cast<unsigned>(date.month());
  const unsigned year = static_cast<unsigned>(static_cast<int>(date.year()));
  const std::string_view month_name = kMonths[month - 1];
  const std::string_view weekday =
      kWeekdays[std::chrono::weekday(sys_days(date)).c_encoding()];
  return fmt::format(
      fmt::runtime(format), fmt::arg("d", day), fmt::arg("m", month),
      fmt::arg("year", year), fmt::arg("dd", fmt::format("{:02}", day)),
      fmt::arg("mm", fmt::format("{:02}", month)),
      fmt::arg("dth", Ordinal(day)), fmt::arg("day_word", OrdinalWord(day)),
      fmt::arg("month", month_name), fmt::arg("mon", month_name.substr(0, 3)),
      fmt::arg("weekday", weekday), fmt::arg("wday", weekday.substr(0, 3)),
      fmt::arg("year_words", YearWords(year)));
}

std::vector<DateExample> MakeDates(int count, uint64_t seed) {
  if (count < 0) {
    throw ConfigError("dates: {} examples requested; choose 0 or more", count);
  }
  Rng rng(seed);
  std::vector<DateExample> examples(static_cast<size_t>(count));
  for (DateExample& example : examples) {
    example = Write(rng.Below(kDays), rng);
  }
  return examples;
}

DateTask MakeDateTask(int train, int valid, int test, uint64_t seed) {
  Rng rng(seed);
  std::vector<size_t> shuffled(kDays);
  std::iota(shuffled.begin(), shuffled.end(), size_t{0});
  Shuffle(shuffled, rng);
  const std::span<const size_t> all(shuffled);
  constexpr size_t kTenth = kDays / 10;
  DateTask task;
  task.test = DistinctDates("test", test, all.first(kTenth), rng);
  task.valid = DistinctDates("valid", valid, all.subspan(kTenth, kTenth), rng);
  task.train = DistinctDates("train", train, all.subspan(2 * kTenth), rng);
  return task;
}

}  // namespace heed
