#include "heed/data/series_time.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/data/series_file.h"

namespace heed {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<double>;
using Strings = std::vector<std::string>;

TimeSeries SeriesOf(const std::string& csv, const KnownSeries* known = nullptr,
                    const SeriesFormat& format = {}) {
  return ParseTimeSeries(csv, "x.csv", format, known);
}
Numbers NumbersOf(const TimeSeries& series) {
  return series.values.ToVector<double>();
}

TEST(SeriesTime, ADateTellsTheTimeRatherThanACountOfRows) {
  for (const char* name : {"", "t", "Unnamed: 0"}) {
    const TimeSeries series = SeriesOf(fmt::format(
        "{},date,value\n0,2024-01-03,5\n1,2024-01-02,6\n2,2024-01-01,7\n",
        name));
    EXPECT_EQ(series.axis.name, "date") << name;
    EXPECT_EQ(series.names, (Strings{"value"})) << name;
    EXPECT_EQ(NumbersOf(series), (Numbers{7, 6, 5})) << name;
  }
  // Without another time column, the row count is the time.
  EXPECT_EQ(SeriesOf("t,value\n0,5\n1,6\n2,7\n").axis.name, "t");
  EXPECT_EQ(SeriesOf("0,2024-01-03,5\n1,2024-01-02,6\n2,2024-01-01,7\n").names,
            (Strings{"3"}));
}

TEST(SeriesTime, ATimeOfDayThatGoesBackIsOneOfTheNextDay) {
  const TimeSeries night =
      SeriesOf("Time,v\n22:00,1\n23:00,2\n00:00,3\n01:00,4\n");
  EXPECT_EQ(NumbersOf(night), (Numbers{1, 2, 3, 4}));
  EXPECT_THAT(night.axis.Behind(1), ElementsAre("02:00"));
  const TimeSeries newest_first =
      SeriesOf("Time,v\n01:00,4\n00:00,3\n23:00,2\n22:00,1\n");
  EXPECT_EQ(NumbersOf(newest_first), (Numbers{1, 2, 3, 4}));
  EXPECT_THAT(newest_first.axis.Behind(1), ElementsAre("02:00"));
  const TimeSeries days =
      SeriesOf("hour,v\n00:00,1\n12:00,2\n00:00,3\n12:00,4\n00:00,5\n");
  EXPECT_EQ(NumbersOf(days), (Numbers{1, 2, 3, 4, 5}));
}

TEST(SeriesTime, PartsOfADateHaveTheirUsualNames) {
  struct Case {
    const char* header;
    const char* first;
    const char* second;
    const char* next;
  };
  for (const auto& [header, first, second, next] : std::vector<Case>{
           {"YEAR,MO,DY,HR", "2024,1,31,22", "2024,1,31,23",
            "2024-02-01 00:00"},
           {"#YYYY,MM,DD,hh,mm", "2024,1,31,23,00", "2024,1,31,23,30",
            "2024-02-01 00:00"},
           {"Jahr,Monat", "2023,11", "2023,12", "2024-01"},
           {"Año,Mes,Día", "2024,2,28", "2024,2,29", "2024-03-01"},
           {"YEAR,DOY", "2024,59", "2024,60", "2024-03-01"},
           {"YEAR,DOY,HR", "2023,59,22", "2023,59,23", "2023-03-01 00:00"}}) {
    const std::string csv =
        fmt::format("{},v\n{},1\n{},2\n", header, first, second);
    const TimeSeries series = SeriesOf(csv);
    EXPECT_EQ(series.names, (Strings{"v"})) << header;
    EXPECT_THAT(series.axis.Behind(1), ElementsAre(next)) << header;
    const TimeSeries falling =
        SeriesOf(fmt::format("{},v\n{},2\n{},1\n", header, second, first));
    EXPECT_EQ(NumbersOf(falling), (Numbers{1, 2})) << header;
  }
  // Column "Std" is a standard deviation, not an hour.
  EXPECT_EQ(SeriesOf("Year,Month,Day,Std\n2024,1,1,0.5\n2024,1,2,0.7\n").names,
            (Strings{"Std"}));
  // Month columns repeat the date column.
  EXPECT_EQ(SeriesOf("date,year,month,v\n2024-01-01,2024,1,5\n"
                     "2024-01-02,2024,1,6\n")
                .axis.name,
            "date");
}

TEST(SeriesTime, ADateAndHoursOrDigitsOfAClockAreOneTime) {
  const TimeSeries hours = SeriesOf(
      "date,hour,load\n2024-01-01,23,4\n2024-01-01,22,3\n2024-01-01,21,2\n");
  EXPECT_EQ(hours.names, (Strings{"load"}));
  EXPECT_EQ(NumbersOf(hours), (Numbers{2, 3, 4}));
  EXPECT_THAT(hours.axis.Behind(1), ElementsAre("2024-01-02 00:00"));
  const TimeSeries digits =
      SeriesOf("<DATE>,<TIME>,<CLOSE>\n20240101,230000,2\n20240101,220000,1\n");
  EXPECT_EQ(digits.names, (Strings{"<CLOSE>"}));
  EXPECT_EQ(NumbersOf(digits), (Numbers{1, 2}));
  EXPECT_THAT(digits.axis.Behind(1), ElementsAre("20240102 00:00:00"));
  const TimeSeries points = SeriesOf(
      "Date;Time;CO\n31/01/2024;22.00.00;1,5\n31/01/2024;23.00.00;2\n");
  EXPECT_EQ(points.names, (Strings{"CO"}));
  EXPECT_THAT(points.axis.Behind(1), ElementsAre("01/02/2024 00:00:00"));
  // One row per day: the hour is a value.
  EXPECT_EQ(SeriesOf("date,hour\n2024-01-01,5\n2024-01-02,6\n").names,
            (Strings{"hour"}));
}

TEST(SeriesTime, TheTimeOfATableWithoutNamesIsFoundByItsCells) {
  const KnownSeries known = {{"1"}, "2", {}, {}};
  const TimeSeries last = SeriesOf("5,2024-01-01\n6,2024-01-02\n", &known);
  EXPECT_EQ(last.names, (Strings{"1"}));
  EXPECT_EQ(last.axis.name, "2");
  const KnownSeries named = {{"a", "b"}, "date", {}, {}};
  const TimeSeries middle =
      SeriesOf("5,2024-01-01,6\n7,2024-01-02,8\n", &named);
  EXPECT_EQ(middle.names, (Strings{"a", "b"}));
  EXPECT_EQ(NumbersOf(middle), (Numbers{5, 6, 7, 8}));
}

TEST(SeriesTime, ManyRowsOfOneTimeAreTurnedWithTheFile) {
  const TimeSeries turned = SeriesOf(
      "date,v\n2024-01-02,4\n2024-01-02,3\n2024-01-01,2\n2024-01-01,1\n");
  EXPECT_EQ(NumbersOf(turned), (Numbers{1, 2, 3, 4}));
  EXPECT_THAT(turned.notes, Contains(HasSubstr("the newest row is the first")));
  // A shuffled file is not in reverse order.
  const TimeSeries shuffled = SeriesOf(
      "date,v\n2024-01-03,3\n2024-01-01,1\n2024-01-04,4\n2024-01-02,2\n");
  EXPECT_EQ(NumbersOf(shuffled), (Numbers{1, 2, 3, 4}));
  EXPECT_THAT(shuffled.notes, Contains(HasSubstr("goes back 2 times")));
}

TEST(SeriesTime, RowsWithoutTextAreLeftOut) {
  const TimeSeries series =
      SeriesOf("date;v\n2024-01-01;1\n;\n2024-01-02;2\n;\n");
  EXPECT_EQ(NumbersOf(series), (Numbers{1, 2}));
  EXPECT_THAT(series.notes,
              Contains("x.csv: 2 rows without any text are left out"));
}

TEST(SeriesTime, ANumberThatTellsTheTimeBesideADateIsNoSeries) {
  const TimeSeries unix_too = SeriesOf(
      "date,timestamp,v\n2024-01-01,1704067200,5\n2024-01-02,1704153600,6\n"
      "2024-01-03,1704240000,7\n");
  EXPECT_EQ(unix_too.axis.name, "date");
  EXPECT_EQ(unix_too.names, (Strings{"v"}));
  EXPECT_THAT(unix_too.notes, Contains(HasSubstr("'timestamp' tells a time")));
  const TimeSeries hours = SeriesOf(
      "date,time,v\n2024-01-01,22,5\n2024-01-01,23,6\n2024-01-02,0,7\n");
  EXPECT_EQ(hours.names, (Strings{"v"}));
  EXPECT_THAT(hours.axis.Behind(1), ElementsAre("2024-01-02 01:00"));
}

TEST(SeriesTime, AFirstColumnThatRisesByOneStepIsTheTime) {
  const TimeSeries series = SeriesOf("elapsed,v\n0,5\n900,6\n1800,7\n2700,8\n");
  EXPECT_EQ(series.names, (Strings{"v"}));
  EXPECT_THAT(series.axis.Behind(1), ElementsAre("3600"));
  const TimeSeries likely = SeriesOf("x,v\n0.5,5\n1,6\n1.5,7\n2,8\n");
  EXPECT_EQ(likely.names, (Strings{"v"}));
  EXPECT_THAT(likely.notes, Contains(HasSubstr("--time-column none")));
  // A trend may rise by constant steps, too, but is not the first column.
  EXPECT_EQ(SeriesOf("v,trend\n5,0\n7,1\n6,2\n").names,
            (Strings{"v", "trend"}));
}

TEST(SeriesTime, YearsStandBesideQuartersOrWeeks) {
  const TimeSeries quarters =
      SeriesOf("year,quarter,v\n2023,3,5\n2023,4,6\n2024,1,7\n");
  EXPECT_EQ(quarters.names, (Strings{"v"}));
  EXPECT_THAT(quarters.axis.Behind(1), ElementsAre("2024-Q2"));
  EXPECT_EQ(SeriesOf("year,qtr,v\n2023,Q3,5\n2023,Q4,6\n2024,Q1,7\n").names,
            (Strings{"v"}));
  const TimeSeries weeks =
      SeriesOf("v,Jahr,KW\n5,2020,52\n6,2020,53\n7,2021,1\n");
  EXPECT_EQ(weeks.names, (Strings{"v"}));
  EXPECT_THAT(weeks.axis.Behind(1), ElementsAre("2021-W02"));
}

TEST(SeriesTime, DateThatContradictsTheGivenOrderIsAnError) {
  SeriesFormat format;
  format.dates = DateOrder::kMonthFirst;
  try {
    SeriesOf("date,v\n12.01.2024,1\n13.01.2024,2\n", nullptr, format);
    FAIL() << "no error";
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(),
                 "x.csv:3:1: '13.01.2024' is not a date with the month first; "
                 "leave out --dates month-first");
  }
}

}  // namespace
}  // namespace heed
