#include "course/data/dates.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <unordered_map>

#include "heed/base/errors.h"
#include "heed/base/text.h"

namespace heed {
namespace {

using std::chrono::year;
using std::chrono::year_month_day;
using Strings = std::vector<std::string>;

constexpr year_month_day kDate = year{1998} / 3 / 5;

bool IsIsoDateInRange(const std::string& iso) {
  int y = 0;
  unsigned m = 0, d = 0;
  if (iso.size() != 10 ||
      std::sscanf(iso.c_str(), "%4d-%2u-%2u", &y, &m, &d) != 3) {
    return false;
  }
  return (year{y} / static_cast<int>(m) / static_cast<int>(d)).ok() &&
         y >= 1900 && y <= 2099;
}

std::set<std::string> Distinct(const Strings& strings) {
  return {strings.begin(), strings.end()};
}

int CountShared(const Strings& a, const Strings& b) {
  const std::set<std::string> in_a = Distinct(a);
  int shared = 0;
  for (const std::string& s : b) shared += in_a.contains(s) ? 1 : 0;
  return shared;
}

TEST(Dates, FieldsAreWrittenOut) {
  EXPECT_EQ(FormatDate(kDate, "{weekday}, {month} {dth} {year}"),
            "Thursday, March 5th 1998");
  EXPECT_EQ(FormatDate(kDate, "{wday} {dd}-{mon}-{mm}-{d}-{m}"),
            "Thu 05-Mar-03-5-3");
  EXPECT_EQ(FormatDate(kDate, "the {day_word} of {month} {year_words}"),
            "the fifth of March nineteen ninety-eight");
}

TEST(Dates, WeekdaysFollowTheCalendar) {
  EXPECT_EQ(FormatDate(year{1900} / 1 / 1, "{weekday}"), "Monday");
  EXPECT_EQ(FormatDate(year{2000} / 2 / 29, "{weekday}"), "Tuesday");
  EXPECT_EQ(FormatDate(year{2099} / 12 / 31, "{weekday}"), "Thursday");
}

TEST(Dates, OrdinalsAreEnglish) {
  Strings ordinals;
  for (const int day : {1, 2, 3, 4, 11, 12, 13, 19, 20, 21, 22, 23, 30, 31}) {
    ordinals.push_back(FormatDate(year{1998} / 3 / day, "{dth} {day_word}"));
  }
  EXPECT_EQ(ordinals,
            (Strings{"1st first", "2nd second", "3rd third", "4th fourth",
                     "11th eleventh", "12th twelfth", "13th thirteenth",
                     "19th nineteenth", "20th twentieth", "21st twenty-first",
                     "22nd twenty-second", "23rd twenty-third",
                     "30th thirtieth", "31st thirty-first"}));
}

TEST(Dates, YearsAreSpelledAsSpoken) {
  Strings years;
  for (const int y : {1900, 1905, 1913, 1940, 2000, 2009, 2010, 2021, 2099}) {
    years.push_back(FormatDate(year{y} / 1 / 1, "{year_words}"));
  }
  EXPECT_EQ(years, (Strings{"nineteen hundred", "nineteen oh five",
                            "nineteen thirteen", "nineteen forty",
                            "two thousand", "two thousand nine", "twenty ten",
                            "twenty twenty-one", "twenty ninety-nine"}));
}

TEST(Dates, FormatsAreManyAndDiffer) {
  std::set<std::string> texts;
  for (const std::string_view format : DateFormats()) {
    texts.insert(FormatDate(kDate, format));
  }
  EXPECT_EQ(texts.size(), DateFormats().size());
  EXPECT_GE(texts.size(), 25u);
}

TEST(Dates, IsoDatesAreOnTheCalendar) {
  for (const DateExample& example : MakeDates(20000, 1)) {
    ASSERT_TRUE(IsIsoDateInRange(example.iso)) << example.iso;
  }
}

TEST(Dates, DaysReachFromTheFirstYearToTheLast) {
  std::set<std::string> years, month_days;
  for (const DateExample& example : MakeDates(20000, 2)) {
    years.insert(example.iso.substr(0, 4));
    month_days.insert(example.iso.substr(5));
  }
  EXPECT_EQ(years.size(), 200u);
  EXPECT_EQ(month_days.size(), 366u);
}

// Texts are compared in lower case, which is the stricter condition.
TEST(Dates, NoTextMeansTwoDates) {
  std::unordered_map<std::string, std::string> meaning;
  for (const DateExample& example : MakeDates(200000, 3)) {
    const auto [known, is_new] =
        meaning.emplace(Lowercase(example.text), example.iso);
    ASSERT_EQ(known->second, example.iso) << example.text;
  }
}

// The test visits all formats of adjacent days, which random dates rarely
// combine.
TEST(Dates, NoTwoFormatsMeanDifferentDaysByTheSameText) {
  std::unordered_map<std::string, year_month_day> meaning;
  for (std::chrono::sys_days day{year{2012} / 1 / 1};
       day < std::chrono::sys_days{year{2013} / 1 / 1};
       day += std::chrono::days{1}) {
    for (const std::string_view format : DateFormats()) {
      const std::string text = FormatDate(day, format);
      ASSERT_EQ(meaning.emplace(text, day).first->second, year_month_day{day})
          << text;
    }
  }
}

TEST(Dates, ComeInThreeCases) {
  bool title = false, lower = false, upper = false;
  for (const DateExample& example : MakeDates(1000, 4)) {
    title |= example.text.find("March") != std::string::npos;
    lower |= example.text.find("march") != std::string::npos;
    upper |= example.text.find("MARCH") != std::string::npos;
  }
  EXPECT_TRUE(title && lower && upper);
}

TEST(Dates, AreTheSameEverywhere) {
  const std::vector<DateExample> dates = MakeDates(3, 1);
  EXPECT_EQ(dates[0].text, "2088/09/17");
  EXPECT_EQ(dates[0].iso, "2088-09-17");
  EXPECT_EQ(dates[1].text, "friday, october 29, 1943");
  EXPECT_EQ(dates[2].text, "5/24/1949");
  EXPECT_EQ(dates[2].iso, "1949-05-24");
}

TEST(DateTask, PartsHaveTheRequestedSizesAndNoTextTwice) {
  const DateTask task = MakeDateTask(3000, 200, 100, 1);
  EXPECT_EQ(Distinct(task.train.source).size(), 3000u);
  EXPECT_EQ(Distinct(task.valid.source).size(), 200u);
  EXPECT_EQ(Distinct(task.test.source).size(), 100u);
  EXPECT_EQ(task.train.source.size(), 3000u);
  EXPECT_EQ(task.train.target.size(), 3000u);
}

TEST(DateTask, PartsShareNoTextAndNoDate) {
  const DateTask task = MakeDateTask(50000, 2000, 2000, 2);
  for (const auto side : {&ParallelText::source, &ParallelText::target}) {
    EXPECT_EQ(CountShared(task.train.*side, task.test.*side), 0);
    EXPECT_EQ(CountShared(task.train.*side, task.valid.*side), 0);
    EXPECT_EQ(CountShared(task.valid.*side, task.test.*side), 0);
  }
}

TEST(DateTask, DependsOnTheSeedAlone) {
  const DateTask task = MakeDateTask(10, 2, 2, 3);
  EXPECT_EQ(MakeDateTask(10, 2, 2, 3).train.source, task.train.source);
  EXPECT_NE(MakeDateTask(10, 2, 2, 4).train.source, task.train.source);
}

TEST(DateTask, ImpossibleSizesAreRefused) {
  EXPECT_THROW(MakeDates(-1, 1), ConfigError);
  EXPECT_THROW(MakeDateTask(10, -1, 10, 1), ConfigError);
  EXPECT_THROW(MakeDateTask(10, 10, 1000000, 1), ConfigError);
  EXPECT_TRUE(MakeDateTask(0, 0, 0, 1).test.source.empty());
}

}  // namespace
}  // namespace heed
