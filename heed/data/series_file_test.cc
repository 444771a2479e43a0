#include "heed/data/series_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/errors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Numbers = std::vector<double>;
using Strings = std::vector<std::string>;

TimeSeries Parse(const std::string& csv, const SeriesFormat& format = {},
                 const KnownSeries* known = nullptr) {
  return ParseTimeSeries(csv, "x.csv", format, known);
}

Numbers ValuesOf(const TimeSeries& series) {
  return series.values.ToVector<double>();
}

std::string ErrorOf(const std::string& csv) {
  return MessageOf<FormatError>([&csv] { Parse(csv); });
}

/// Table with header "date,value" and a row for each time, numbered from 1.
std::string Rows(const Strings& times, const std::string& name = "date") {
  std::string csv = name + ",value\n";
  for (size_t i = 0; i < times.size(); ++i) {
    csv += fmt::format("\"{}\",{}\n", times[i], i + 1);
  }
  return csv;
}

TEST(SeriesFile, TextIsReadLikeAFile) {
  const std::string csv =
      "\xEF\xBB\xBF"
      "a,b\r\n1,2.5\r\n3,4\r\n\r\n";
  const TemporaryFolder folder;
  for (const TimeSeries& series :
       {Parse(csv), ReadTimeSeries({folder.Put("x.csv", csv)})}) {
    EXPECT_EQ(series.names, (Strings{"a", "b"}));
    EXPECT_EQ(ValuesOf(series), (Numbers{1, 2.5, 3, 4}));
    EXPECT_TRUE(series.times.empty());
    EXPECT_FALSE(series.axis.known());
    EXPECT_THAT(series.notes, IsEmpty());
  }
}

TEST(SeriesFile, ColumnsRowsAndTimesAreRead) {
  const TimeSeries series =
      Parse("date,a,b\n2016-07-01 00:00:00,5.8,-2e1\n2016-07-02,+1,0\n");
  EXPECT_EQ(series.names, (Strings{"a", "b"}));
  EXPECT_EQ(series.times, (Strings{"2016-07-01 00:00:00", "2016-07-02"}));
  EXPECT_EQ(ValuesOf(series), (Numbers{5.8, -20, 1, 0}));
}

TEST(SeriesFile, QuotedFieldsMayHoldCommasQuotesAndNumbers) {
  const TimeSeries series =
      Parse("when,\"load, \"\"net\"\"\", b \n\"May 1, 2016\", \"1.5\" , 2 \n");
  EXPECT_EQ(series.names, (Strings{"load, \"net\"", "b"}));
  EXPECT_EQ(series.times, (Strings{"May 1, 2016"}));
  EXPECT_EQ(ValuesOf(series), (Numbers{1.5, 2}));
}

TEST(SeriesFile, DelimiterAndDecimalMarkAreDetectedAndReported) {
  struct Case {
    const char* csv;
    const char* says;
  };
  for (const auto& [csv, says] : std::vector<Case>{
           {"date;a;b\n2024-03-01;1.5;-2\n2024-03-02;1234.25;0\n",
            "x.csv: reads a semicolon table"},
           {"date;a;b\n2024-03-01;1,5;-2\n2024-03-02;1.234,25;0\n",
            "x.csv: reads a semicolon table with decimal commas"},
           {"date;a;b;\n2024-03-01;1,5;-2;\n2024-03-02;1 234,25;0;\n",
            "x.csv: reads a semicolon table with decimal commas"},
           {"date\ta\tb\n2024-03-01\t1.5\t-2\n2024-03-02\t1,234.25\t0\n",
            "x.csv: reads a tab table"},
           {"date|a|b\n2024-03-01|1.5|-2\n2024-03-02|1234.25|0\n",
            "x.csv: reads a pipe table"},
           {"sep=;\ndate;a;b\n01.03.2024;1,5;-2\n02.03.2024;1234,25;0\n",
            "x.csv: reads a semicolon table with decimal commas"},
           {"date,a,b\n2024-03-01,\"1,5\",-2\n2024-03-02,\"1.234,25\",0\n",
            "x.csv: reads a comma table with decimal commas"}}) {
    const TimeSeries series = Parse(csv);
    EXPECT_EQ(series.names, (Strings{"a", "b"})) << csv;
    EXPECT_EQ(ValuesOf(series), (Numbers{1.5, -2, 1234.25, 0})) << csv;
    EXPECT_THAT(series.notes, testing::Contains(says)) << csv;
  }
  EXPECT_THAT(Parse("date,a\n2024-03-01,\"1,234\"\n2024-03-02,999\n").notes,
              IsEmpty());
}

TEST(SeriesFile, AmbiguousDecimalMarkIsReportedAndCanBeForced) {
  const std::string csv = "date\ta\n2024-03-01\t10,000\n2024-03-02\t999\n";
  const TimeSeries series = Parse(csv);
  EXPECT_EQ(ValuesOf(series), (Numbers{10000, 999}));
  EXPECT_THAT(
      series.notes,
      ElementsAre("x.csv: reads a tab table",
                  "warning: x.csv: '10,000' is read as 10000, but could "
                  "be 10 (--decimal comma)"));
  const TimeSeries forced = Parse(csv, {.decimal = Decimal::kComma});
  EXPECT_EQ(ValuesOf(forced), (Numbers{10, 999}));
  EXPECT_THAT(forced.notes,
              ElementsAre("x.csv: reads a tab table with decimal commas"));
  EXPECT_THAT(MessageOf<FormatError>([] {
                Parse("a;b\n1,5;2\n2;3\n", {.decimal = Decimal::kPoint});
              }),
              HasSubstr("(--decimal comma)"));
}

TEST(SeriesFile, WhatIsWrongIsNamedByLineAndColumn) {
  EXPECT_EQ(ErrorOf("d,a,b\nx,1,2\nx,1,\n"),
            "x.csv:3:3: an empty cell in column 'b'; fill the gap");
  EXPECT_EQ(ErrorOf("d,a,b\nx,1,2\nx,one,2\n"),
            "x.csv:3:2: 'one' in column 'a' is not a finite number");
  EXPECT_EQ(ErrorOf("a,b\n1,nan\n"),
            "x.csv:2:2: 'nan' in column 'b' is not a finite number");
  EXPECT_EQ(ErrorOf("a,b\n1,1e999\n"),
            "x.csv:2:2: '1e999' in column 'b' is not a finite number");
  EXPECT_EQ(ErrorOf("a,b\n1,\x9C\x9C\n"),
            "x.csv:2: not valid UTF-8; convert the file");
  EXPECT_EQ(ErrorOf("a,b\n1,2\n1\n"),
            "x.csv:3:2: 1 fields, but the first line has 2");
  EXPECT_EQ(ErrorOf("a,b\n1,2\n1,2,3\n"),
            "x.csv:3:3: 3 fields, but the first line has 2");
  EXPECT_EQ(ErrorOf("a,b\n1,\"2\n"), "x.csv:2:2: a quote is not closed");
  EXPECT_EQ(ErrorOf("a,b\n\"1\"2,2\n"),
            "x.csv:2:1: text after a closing quote; write a quote inside a "
            "field twice");
  EXPECT_EQ(ErrorOf("a,b\n1,2\n\n1,2\n"),
            "x.csv:3:2: 1 fields, but the first line has 2");
  EXPECT_EQ(
      ErrorOf("date,a\n2024-01-01,1\n2024-01-02,1\nsoon,2\n"),
      "x.csv:4:1: 'soon' in column 'date' is no time as '2024-01-01' is one");
}

TEST(SeriesFile, FilesWithoutNamesOrRowsAreRefused) {
  EXPECT_EQ(ErrorOf("a,\n1,2\n"), "x.csv:1:2: a column without a name");
  EXPECT_EQ(ErrorOf("a,a\n1,2\n"), "x.csv:1:2: a second column named 'a'");
  EXPECT_EQ(ErrorOf("a,b\n"), "x.csv:1:1: no rows after the column names");
  EXPECT_EQ(ErrorOf("date\n2024-01-01\n"),
            "x.csv:2:1: '2024-01-01' in column 'date' is not a finite number");
  EXPECT_EQ(ErrorOf("\n\n"), "x.csv has only blank lines");
  EXPECT_EQ(ErrorOf(""), "x.csv has only blank lines");
  EXPECT_EQ(ErrorOf("a,b\n,2\n"),
            "x.csv:2:1: an empty cell in column 'a'; fill the gap");
}

TEST(SeriesFile, AFirstLineOfNumbersIsARow) {
  const TimeSeries plain = Parse("1,2.5\n3,4\n");
  EXPECT_EQ(plain.names, (Strings{"1", "2"}));
  EXPECT_EQ(ValuesOf(plain), (Numbers{1, 2.5, 3, 4}));
  EXPECT_THAT(plain.notes, ElementsAre(HasSubstr("line 1 is a row")));

  const TimeSeries timed = Parse("2024-01-01;1,5\n2024-01-02;2,5\n");
  EXPECT_EQ(timed.names, (Strings{"2"}));
  EXPECT_EQ(ValuesOf(timed), (Numbers{1.5, 2.5}));

  // Numbers may be column names.
  const TimeSeries counted =
      Parse("date,0,1\n2024-01-01,5,6\n2024-01-02,7,8\n");
  EXPECT_EQ(counted.names, (Strings{"0", "1"}));
  EXPECT_EQ(Parse("0,1\n5.5,6\n7,8\n").names, (Strings{"0", "1"}));
  EXPECT_EQ(Parse("1,2\n3,4\n", {.header = HeaderLine::kYes}).names,
            (Strings{"1", "2"}));

  const KnownSeries known = {{"sales"}, "date", {}, {}};
  EXPECT_EQ(Parse("2024-01-01,1\n2024-01-02,2\n", {}, &known).names,
            (Strings{"sales"}));
}

TEST(SeriesFile, EveryUsualFormOfTimeIsTheTimeAxis) {
  for (const Strings& times :
       std::vector<Strings>{{"2024-01-30T13:00:00Z", "2024-01-31T13:00:00Z"},
                            {"2024-01-30 13:00", "2024-01-31 13:00"},
                            {"30.01.2024", "31.01.2024"},
                            {"30/01/2024", "31/01/2024"},
                            {"01/30/2024", "01/31/2024"},
                            {"20240130", "20240131"},
                            {"Jan 30, 2024", "Jan 31, 2024"},
                            {"2024-01", "2024-02"},
                            {"2024Q1", "2024Q2"},
                            {"1706706000", "1706706060"},
                            {"1706706000000", "1706706060000"},
                            {"2023", "2024"},
                            {"45321", "45322"}}) {
    const TimeSeries series = Parse(Rows(times));
    EXPECT_EQ(series.names, (Strings{"value"})) << times[0];
    EXPECT_EQ(series.times, times);
    EXPECT_EQ(series.axis.name, "date");
    EXPECT_EQ(series.axis.Behind(2).size(), 2U) << times[0];
  }
}

TEST(SeriesFile, TheTimeAxisMayStandInAnyColumnOrInSeveral) {
  const TimeSeries last = Parse("a,when\n1,2024-01-01\n2,2024-01-02\n");
  EXPECT_EQ(last.names, (Strings{"a"}));
  EXPECT_THAT(last.axis.Behind(1), ElementsAre("2024-01-03"));

  const TimeSeries two = Parse(
      "Date;Time;load\n16/12/2006;23:00:00;4.2\n17/12/2006;00:00:00;5.3\n");
  EXPECT_EQ(two.names, (Strings{"load"}));
  EXPECT_EQ(two.axis.name, "Date Time");
  EXPECT_THAT(two.axis.Behind(1), ElementsAre("17/12/2006 01:00:00"));

  const TimeSeries parts =
      Parse("No,year,month,day,hour,pm\n1,2010,1,31,22,9\n2,2010,1,31,23,8\n");
  EXPECT_EQ(parts.names, (Strings{"No", "pm"}));
  EXPECT_THAT(parts.axis.Behind(1), ElementsAre("2010-02-01 00:00"));

  const TimeSeries pandas = Parse(
      ",date,a\n0,2024-01-01,5\n1,2024-01-02,6\n"
      "2,2024-01-03,7\n");
  EXPECT_EQ(pandas.names, (Strings{"a"}));
  EXPECT_EQ(ValuesOf(pandas), (Numbers{5, 6, 7}));
  EXPECT_EQ(Parse(",a\n2024-01-01,5\n2024-01-02,6\n").axis.name, "time");
}

TEST(SeriesFile, TheColumnOfTimesCanBeForced) {
  const std::string csv = "x,a\n1706706000,1\n1706706060,2\n1706706120,3\n";
  EXPECT_THAT(Parse(csv).notes,
              ElementsAre(HasSubstr("'x' is read as time (Unix seconds)")));
  EXPECT_EQ(Parse(csv, {.time_column = "none"}).names, (Strings{"x", "a"}));
  EXPECT_EQ(Parse(csv, {.time_column = "x"}).names, (Strings{"a"}));
  EXPECT_THAT(MessageOf<ConfigError>([&] { Parse(csv, {.time_column = "y"}); }),
              HasSubstr("no column 'y'"));
  // A column that the model knows as a value is not a time column.
  const KnownSeries known = {{"x", "a"}, "", {}, {}};
  EXPECT_EQ(Parse(csv, {}, &known).names, (Strings{"x", "a"}));
}

TEST(SeriesFile, RowsAreSortedByTime) {
  const TimeSeries newest_first =
      Parse(Rows({"2024-01-03", "2024-01-02", "2024-01-01"}));
  EXPECT_EQ(ValuesOf(newest_first), (Numbers{3, 2, 1}));
  EXPECT_THAT(newest_first.notes,
              ElementsAre("x.csv: the newest row is the first; rows are sorted "
                          "by 'date'"));
  EXPECT_THAT(newest_first.axis.Behind(1), ElementsAre("2024-01-04"));

  const TimeSeries mixed =
      Parse(Rows({"01.02.2024", "02.02.2024", "31.01.2024", "03.02.2024"}));
  EXPECT_EQ(ValuesOf(mixed), (Numbers{3, 1, 2, 4}));
  EXPECT_THAT(mixed.notes, ElementsAre(HasSubstr("first at line 4")));

  // 9 precedes 10 in time, but not as text.
  EXPECT_EQ(ValuesOf(Parse(Rows({"1/10/2024", "1/9/2024", "1/13/2024"}))),
            (Numbers{2, 1, 3}));
  // Time zones are taken into account.
  EXPECT_EQ(ValuesOf(Parse(Rows(
                {"2024-01-01T00:30:00+00:00", "2024-01-01T01:00:00+01:00"}))),
            (Numbers{2, 1}));
}

TEST(SeriesFile, FilesFollowOneAnotherInTime) {
  const TemporaryFolder folder;
  const std::string later =
      folder.Put("b.csv", Rows({"2024-01-03", "2024-01-04"}));
  const std::string first =
      folder.Put("a.csv", Rows({"2024-01-01", "2024-01-02"}));
  EXPECT_EQ(ValuesOf(ReadTimeSeries({later, first})), (Numbers{1, 2, 1, 2}));
  EXPECT_EQ(ReadTimeSeries({later, first}).times.front(), "2024-01-01");
  const std::string other = folder.Put("c.csv", "date,b\n2024-01-05,1\n");
  EXPECT_THROW(ReadTimeSeries({first, other}), FormatError);
  EXPECT_THROW(ReadTimeSeries(Strings{}), ConfigError);
}

TEST(SeriesFile, DuplicateTimesAndGapsAreReportedByLine) {
  EXPECT_THAT(
      Parse(Rows({"2024-01-01", "2024-01-02", "2024-01-02", "2024-01-03"}))
          .notes,
      ElementsAre("warning: x.csv: 'date' tells a time twice, which is read as "
                  "two rows: 2024-01-02 in line 3 and line 4"));
  EXPECT_THAT(
      Parse(Rows({"2024-01-01", "2024-01-02", "2024-01-06", "2024-01-07"}))
          .notes,
      ElementsAre("warning: x.csv: 'date' has gaps in its steps of 1 day: rows "
                  "3 missing between 2024-01-02 and 2024-01-06 (line 4)"));
  EXPECT_THAT(Parse(Rows({"2024-01", "2024-02", "2024-05", "2024-06"})).notes,
              ElementsAre(HasSubstr("2 missing between 2024-02 and 2024-05")));
  EXPECT_THAT(Parse(Rows({"2024-01-04", "2024-01-05", "2024-01-08",
                          "2024-01-09", "2024-01-11", "2024-01-12"}))
                  .notes,
              ElementsAre(HasSubstr("1 business day: rows 1 missing between "
                                    "2024-01-09 and 2024-01-11")));
  EXPECT_THAT(Parse(Rows({"2024-01-01", "2024-01-02", "2024-01-07",
                          "2024-02-01", "2024-03-09"}))
                  .notes,
              ElementsAre(HasSubstr("not evenly spaced")));
  EXPECT_THAT(Parse(Rows({"2024-01-31", "2024-02-29", "2024-03-31"})).notes,
              IsEmpty());
}

TEST(SeriesFile, AssumedOrderIsReported) {
  const Strings times = {"01/02/2024", "02/02/2024", "03/02/2024"};
  EXPECT_THAT(
      Parse(Rows(times)).notes,
      ElementsAre("warning: x.csv: dates such as 01/02/2024 are read as "
                  "month, day, year (--dates day-first: day, month, "
                  "year)"));
  const KnownSeries known = {{"value"}, "date", DateOrder::kDayFirst, {}};
  const TimeSeries series = Parse(Rows(times), {}, &known);
  EXPECT_THAT(series.notes, IsEmpty());
  EXPECT_THAT(series.axis.Behind(1), ElementsAre("04/02/2024"));
}

TEST(SeriesFile, StepsOfTrainingGoOnInAWindow) {
  KnownSeries known = {{"value"}, "date", {}, {}};
  known.step = {.microseconds = kDay, .business_days = true};
  const Strings week = {"2024-01-10", "2024-01-11", "2024-01-12"};
  EXPECT_THAT(Parse(Rows(week), {}, &known).axis.Behind(1),
              ElementsAre("2024-01-15"));
  known.step = {.microseconds = 3600 * kSecond};
  EXPECT_THAT(
      Parse(Rows(week), {}, &known).notes,
      ElementsAre(HasSubstr("rows are 1 day apart, but those of training "
                            "were 1 hour")));
  // A single row has no step of its own.
  EXPECT_THAT(Parse(Rows({"2024-01-10 05:00"}), {}, &known).axis.Behind(1),
              ElementsAre("2024-01-10 06:00"));
}

TEST(SeriesFile, TextThatIsNoTimeNamesRows) {
  const TimeSeries series = Parse("day,a\nfirst,1\nsecond,2\n");
  EXPECT_EQ(series.names, (Strings{"a"}));
  EXPECT_EQ(series.times, (Strings{"first", "second"}));
  EXPECT_THAT(series.notes,
              ElementsAre(HasSubstr("not a time of a known format")));
  EXPECT_THAT(series.axis.Behind(2), IsEmpty());
}

TEST(SeriesFile, MonthsOfAZoneWithSummerTimeAreMonths) {
  const TimeSeries series =
      Parse(Rows({"2024-02-01T00:00:00+01:00", "2024-03-01T00:00:00+01:00",
                  "2024-04-01T00:00:00+02:00", "2024-05-01T00:00:00+02:00"}));
  EXPECT_THAT(series.axis.Behind(1), ElementsAre("2024-06-01T00:00:00+02:00"));
}

}  // namespace
}  // namespace heed
