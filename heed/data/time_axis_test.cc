#include "heed/data/time_axis.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Strings = std::vector<std::string>;

/// Times after a column, in its format.
Strings Behind(const Strings& cells, int64_t count,
               Auto<DateOrder> order = {}) {
  const auto column = ReadTimeColumn(cells, order);
  if (!column) return {"no time"};
  Strings times;
  for (const Moment moment :
       MomentsBehind(column->moments.back(), StepOf(column->moments), count)) {
    times.push_back(column->Write(moment));
  }
  return times;
}

TEST(TimeAxis, StepsGoOnAsTheColumnIsWritten) {
  EXPECT_EQ(Behind({"2024-02-28 22:00", "2024-02-28 23:00"}, 2),
            (Strings{"2024-02-29 00:00", "2024-02-29 01:00"}));
  EXPECT_EQ(Behind({"2024-02-27", "2024-02-28"}, 2),
            (Strings{"2024-02-29", "2024-03-01"}));
  EXPECT_EQ(Behind({"13:45:00 1.2.2024", "14:00:00 1.2.2024"}, 1),
            (Strings{"14:15:00 1.2.2024"}));
  EXPECT_EQ(Behind({"1706706000", "1706706060"}, 1), (Strings{"1706706120"}));
  EXPECT_EQ(Behind({"1706706000000", "1706706000500"}, 1),
            (Strings{"1706706001000"}));
  EXPECT_EQ(Behind({"2024-W51", "2024-W52"}, 1), (Strings{"2025-W01"}));
}

TEST(TimeAxis, MonthsQuartersAndYearsAreThoseOfTheCalendar) {
  EXPECT_EQ(Behind({"2023-12-01", "2024-01-01"}, 2),
            (Strings{"2024-02-01", "2024-03-01"}));
  EXPECT_EQ(Behind({"2023-12-31", "2024-01-31"}, 3),
            (Strings{"2024-02-29", "2024-03-31", "2024-04-30"}));
  EXPECT_EQ(Behind({"2023-11-30", "2023-12-31", "2024-01-31"}, 1),
            (Strings{"2024-02-29"}));
  EXPECT_EQ(Behind({"2024-01", "2024-02"}, 1), (Strings{"2024-03"}));
  EXPECT_EQ(Behind({"Nov 2023", "Dec 2023"}, 1), (Strings{"Jan 2024"}));
  EXPECT_EQ(Behind({"2023Q3", "2023Q4"}, 2), (Strings{"2024Q1", "2024Q2"}));
  EXPECT_EQ(Behind({"2022", "2023"}, 2), (Strings{"2024", "2025"}));
  EXPECT_EQ(Behind({"2020-02-29", "2024-02-29"}, 1), (Strings{"2028-02-29"}));
}

TEST(TimeAxis, EndsAtTheLastYear) {
  EXPECT_TRUE(Behind({"2022", "2023"}, 10000).empty());
  EXPECT_TRUE(MomentsBehind(0, {.microseconds = INT64_MAX}, 10).empty());
  EXPECT_TRUE(MomentsBehind(0, {.months = INT64_MAX}, 10).empty());
}

TEST(TimeAxis, BusinessDaysLeaveOutWeekends) {
  const Strings week = {"2024-01-04", "2024-01-05", "2024-01-08", "2024-01-09",
                        "2024-01-10", "2024-01-11", "2024-01-12"};
  EXPECT_EQ(Behind(week, 2), (Strings{"2024-01-15", "2024-01-16"}));
  const auto column = ReadTimeColumn(week, {});
  const TimeStep step = StepOf(column->moments);
  EXPECT_TRUE(step.business_days);
  EXPECT_TRUE(IsRegular(column->moments, step));
  EXPECT_EQ(StepsBetween(column->moments[1], column->moments[2], step), 1);
  // A week without its weekend says nothing about weekends.
  EXPECT_FALSE(StepOf(std::span(column->moments).subspan(2)).business_days);
}

TEST(TimeAxis, TheWholeColumnTellsDayFromMonth) {
  EXPECT_EQ(ReadTimeColumn(Strings{"01/02/2024", "13/02/2024"}, {})->order,
            DateOrder::kDayFirst);
  EXPECT_EQ(ReadTimeColumn(Strings{"01/02/2024", "01/13/2024"}, {})->order,
            DateOrder::kMonthFirst);
  EXPECT_FALSE(
      ReadTimeColumn(Strings{"01/02/2024", "13/02/2024"}, {})->assumed);
  EXPECT_FALSE(ReadTimeColumn(Strings{"13/02/2024", "02/13/2024"}, {}));
}

TEST(TimeAxis, EvenStepsTellDayFromMonth) {
  // Weekly steps, if the month comes first.
  const auto column = ReadTimeColumn(
      Strings{"01/01/2024", "01/08/2024", "02/05/2024", "02/12/2024"}, {});
  EXPECT_FALSE(column->assumed && column->order == DateOrder::kDayFirst);
}

TEST(TimeAxis, WhereNothingTellsTheOrderIsAssumedAndCanBeForced) {
  const Strings cells = {"01/02/2024", "02/02/2024", "03/02/2024"};
  const auto slashes = ReadTimeColumn(cells, {});
  EXPECT_TRUE(slashes->assumed);
  EXPECT_EQ(slashes->order, DateOrder::kMonthFirst);
  const auto forced = ReadTimeColumn(cells, DateOrder::kDayFirst);
  EXPECT_FALSE(forced->assumed);
  EXPECT_EQ(forced->order, DateOrder::kDayFirst);
  EXPECT_EQ(ReadTimeColumn(Strings{"01.02.2024", "02.02.2024"}, {})->order,
            DateOrder::kDayFirst);
}

TEST(TimeAxis, YearsBefore1800AreKnownByTheNameOfTheirColumn) {
  const Strings cells = {"1798", "1799", "1800"};
  const auto years = ReadTimeColumn(cells, {}, "Year");
  ASSERT_TRUE(years);
  EXPECT_EQ(years->form, DateForm::kYear);
  EXPECT_EQ(StepOf(years->moments).Text(), "1 year");
  EXPECT_EQ(years->Write(years->moments[0]), "1798");
  EXPECT_TRUE(ReadTimeColumn(cells, {}, "t")->counts);
}

TEST(TimeAxis, SomeRowsMayHaveNoTimeOfDay) {
  const auto column = ReadTimeColumn(
      Strings{"2024-01-31", "2024-01-31 01:00", "2024-01-31 02:00"}, {});
  ASSERT_TRUE(column);
  EXPECT_EQ(column->Write(column->moments[0]), "2024-01-31 00:00");
}

NumericTime Judge(const char* name, bool first, const Strings& cells) {
  const auto column = ReadTimeColumn(cells, {});
  if (!column || !column->numeric) return NumericTime::kNo;
  return JudgeNumericTime(name, first, *column);
}

TEST(TimeAxis, ColumnsOfNumbersAreTimesByNameOrWhereTheyCannotBeElse) {
  const Strings seconds = {"1706706000", "1706706060", "1706706120"};
  const Strings years = {"2021", "2022", "2023"};
  const Strings counts = {"0", "1", "2", "3"};
  EXPECT_EQ(Judge("timestamp", false, seconds), NumericTime::kYes);
  EXPECT_EQ(Judge("x", true, seconds), NumericTime::kLikely);
  EXPECT_EQ(Judge("x", false, seconds), NumericTime::kNo);
  EXPECT_EQ(Judge("year", false, years), NumericTime::kYes);
  EXPECT_EQ(Judge("sales", false, years), NumericTime::kNo);
  EXPECT_EQ(Judge("time", true, counts), NumericTime::kYes);
  for (const char* name : {"step", "elapsed (s)", "JD", "datenum", "seconds"}) {
    EXPECT_EQ(Judge(name, false, counts), NumericTime::kYes) << name;
  }
  EXPECT_EQ(Judge("x", true, counts), NumericTime::kLikely);
  EXPECT_EQ(Judge("x", true, {"0", "1", "3", "4", "5"}), NumericTime::kNo);
  EXPECT_EQ(Judge("x", false, counts), NumericTime::kNo);
  EXPECT_EQ(Judge("MESS_DATUM", false, {"2024013112", "2024013113"}),
            NumericTime::kYes);
  EXPECT_EQ(Judge("date", false, {"45322", "45323", "45324"}),
            NumericTime::kYes);
  EXPECT_EQ(Judge("load", false, {"45322", "45323", "45324"}),
            NumericTime::kNo);
  // A year that repeats, next to months, is not a time axis.
  EXPECT_EQ(Judge("year", true, {"2021", "2021", "2021", "2022", "2022"}),
            NumericTime::kNo);
}

}  // namespace
}  // namespace heed
