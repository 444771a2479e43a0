#include "heed/data/time_cell.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace heed {
namespace {

/// Moment 2024-01-31 13:00:00.
constexpr Moment kAfternoon = 1706706000 * kSecond;
/// Moment 2024-01-31 00:00:00.
constexpr Moment kMidnight = kAfternoon - 13 * 3600 * kSecond;

/// Reading of a cell with this moment.
std::optional<TimeReading> ReadingOf(const std::string& cell, Moment moment) {
  for (const TimeReading& reading : ReadTime(cell)) {
    if (reading.moment == moment) return reading;
  }
  return std::nullopt;
}

TEST(TimeCell, UsualFormsAreReadAndWrittenBack) {
  for (const auto& [cell, moment] : std::vector<std::pair<const char*, Moment>>{
           {"2024-01-31T13:00:00Z", kAfternoon},
           {"2024-01-31T13:00:00+00:00", kAfternoon},
           {"2024-01-31T14:00:00+01:00", kAfternoon},
           {"2024-01-31 08:00:00-0500", kAfternoon},
           {"2024-01-31 14:00 +01", kAfternoon},
           {"2024-01-31T13:00:00.250Z", kAfternoon + 250000},
           {"2024-01-31 13:00:00.123456", kAfternoon + 123456},
           {"2024-01-31 13:00:00", kAfternoon},
           {"2024-01-31 13:00", kAfternoon},
           {"2024/01/31 13:00", kAfternoon},
           {"31.01.2024 13:00", kAfternoon},
           {"13:00 31.01.2024", kAfternoon},
           {"01/31/2024 01:00 PM", kAfternoon},
           {"31/01/2024, 13:00:00", kAfternoon},
           {"31/Jan/2024:14:00:00 +0100", kAfternoon},
           {"Wed, 31 Jan 2024 13:00:00 +0000", kAfternoon},
           {"20240131T130000Z", kAfternoon},
           {"20240131 1300", kAfternoon},
           {"2024-01-31T13Z", kAfternoon},
           {"2024-01-31T14+01", kAfternoon},
           {"2024-01-31T13", kAfternoon},
           {"01/31/2024 01PM", kAfternoon},
           {"31.01.2024 01 pm", kAfternoon},
           {"01:00 PM 01/31/2024", kAfternoon},
           {"31/01/2024 13h00", kAfternoon},
           {"2024年01月31日", kMidnight},
           {"2024年01月31日 13:00", kAfternoon},
           {"2024년 01월 31일", kMidnight},
           {"2024-031", kMidnight},
           {"2024031", kMidnight},
           {"31012024", kMidnight},
           {"01312024", kMidnight},
           {"Wed Jan 31 13:00:00 2024", kAfternoon},
           {"Wed Jan 31 13:00:00 +0000 2024", kAfternoon},
           {"Wed Jan 31 06:00:00 -0700 2024", kAfternoon},
           {"Wed Jan 31 13:00:00 CET 2024", kAfternoon},
           {"2024-01-31 13:00:00 CET", kAfternoon},
           {"2024-01-31 13:00:00 Europe/Berlin", kAfternoon},
           {"2024-01-31T13:00:00[America/New_York]", kAfternoon},
           {"31.01.2024 13:00 Uhr", kAfternoon},
           {"2024013113", kAfternoon},
           {"202401311300", kAfternoon},
           {"20240131130000", kAfternoon},
           {"1706706000", kAfternoon},
           {"1706706000000", kAfternoon},
           {"1706706000000000", kAfternoon},
           {"1706706000000000000", kAfternoon},
           {"1706706000.5", kAfternoon + 500000},
           {"2024-01-31", kMidnight},
           {"2024.01.31", kMidnight},
           {"31.01.2024", kMidnight},
           {"31.01.24", kMidnight},
           {"31/01/2024", kMidnight},
           {"01/31/2024", kMidnight},
           {"31-Jan-2024", kMidnight},
           {"31-JAN-24", kMidnight},
           {"31 January 2024", kMidnight},
           {"Jan 31, 2024", kMidnight},
           {"January 31 2024", kMidnight},
           {"2024-Jan-31", kMidnight},
           {"20240131", kMidnight},
           {"31. Januar 2024", kMidnight},
           {"31 janvier 2024", kMidnight},
           {"31-ene-2024", kMidnight},
           {"45322", kMidnight},
           {"45322.5", kMidnight + kDay / 2},
           {"2024-01", kMidnight - 30 * kDay},
           {"01/2024", kMidnight - 30 * kDay},
           {"202401", kMidnight - 30 * kDay},
           {"Jan 2024", kMidnight - 30 * kDay},
           {"Jan-24", kMidnight - 30 * kDay},
           {"2024M01", kMidnight - 30 * kDay},
           {"2024-M01", kMidnight - 30 * kDay},
           {"2024Q1", kMidnight - 30 * kDay},
           {"2024-Q1", kMidnight - 30 * kDay},
           {"Q1 2024", kMidnight - 30 * kDay},
           {"1Q 2024", kMidnight - 30 * kDay},
           {"2024-W05", kMidnight - 2 * kDay},
           {"2024", kMidnight - 30 * kDay},
           {"1969-12-31 23:00", -3600 * kSecond}}) {
    const auto reading = ReadingOf(cell, moment);
    ASSERT_TRUE(reading) << cell;
    EXPECT_EQ(WriteTime(moment, *reading, true), cell);
  }
}

TEST(TimeCell, ADayThatDoesNotExistIsNoTime) {
  for (const char* cell : {"2023-02-29",
                           "31/31/2024",
                           "2024-13-01",
                           "20241331",
                           "2024-01-31 25:00",
                           "2024-01-31 13:60",
                           "2024Q5",
                           "2024-W54",
                           "",
                           "day 17",
                           "12.5",
                           "1.2024",
                           "1.1020",
                           "-5",
                           "1e5",
                           "10:00:00:00",
                           "2024-01-31 13:00 CETX",
                           "1 2 3 4 5 6 7",
                           "((((",
                           "2024-01-31-05",
                           "2024-01-31T99",
                           "2024-01-31 13:00 /",
                           "Wed Jan 31 13:00:00 2024 2024",
                           "1 - 2",
                           "24",
                           "123"}) {
    EXPECT_TRUE(ReadTime(cell).empty()) << cell;
  }
}

TEST(TimeCell, AnIntervalIsReadAsItsBeginning) {
  for (const char* cell : {"31.01.2024 13:00 - 31.01.2024 14:00",
                           "31.01.2024 13:00 \u2013 14:00"}) {
    const auto reading = ReadingOf(cell, kAfternoon);
    ASSERT_TRUE(reading) << cell;
    EXPECT_EQ(WriteTime(kAfternoon, *reading, true), "31.01.2024 13:00");
  }
  // A date and a time are not an interval.
  EXPECT_TRUE(ReadTime("31.01.2024 - 13:00").empty());
}

TEST(TimeCell, MonthsHaveNamesInSeveralLanguages) {
  struct Case {
    const char* cell;
    const char* december;
  };
  constexpr Moment kMarch = kMidnight + 30 * kDay;  // 2024-03-01
  constexpr Moment kDecember = kMidnight + 305 * kDay;
  for (const auto& [cell, december] :
       std::vector<Case>{{"Mär 2024", "Dez 2024"},
                         {"März 2024", "Dez 2024"},
                         {"Mrz 2024", "Dez 2024"},
                         {"1. März 2024", "1. Dez 2024"},
                         {"marzo 2024", "diciembre 2024"}}) {
    const auto reading = ReadingOf(cell, kMarch);
    ASSERT_TRUE(reading) << cell;
    EXPECT_EQ(WriteTime(kDecember, *reading, false), december);
  }
  EXPECT_EQ(WriteTime(kDecember, ReadTime("févr. 2024").front(), true),
            "déc. 2024");
}

TEST(TimeCell, DayAndMonthMayBeEither) {
  EXPECT_EQ(ReadTime("01/02/2024").size(), 2U);
  EXPECT_EQ(ReadTime("13/02/2024").size(), 1U);
}

TEST(TimeCell, OtherMomentsAreWrittenAlike) {
  const auto pattern = [](const char* cell) { return ReadTime(cell).front(); };
  EXPECT_EQ(WriteTime(kAfternoon, pattern("May 1, 2024"), true),
            "Jan 31, 2024");
  EXPECT_EQ(WriteTime(kAfternoon, pattern("1 JUL 2023"), true), "31 JAN 2024");
  EXPECT_EQ(WriteTime(kMidnight + kDay, pattern("1.2.2023"), false),
            "1.2.2024");
  EXPECT_EQ(WriteTime(kAfternoon, pattern("2023-07-01 1:00 am"), true),
            "2024-01-31 01:00 pm");
  EXPECT_EQ(WriteTime(kMidnight, pattern("2023-07-01 01:00 AM"), true),
            "2024-01-31 12:00 AM");
  EXPECT_EQ(WriteTime(kAfternoon, pattern("2023Q3"), true), "2024Q1");
  // The week of December 31 belongs to the next year.
  EXPECT_EQ(WriteTime(kMidnight + 335 * kDay, pattern("2023-W10"), true),
            "2025-W01");
}

}  // namespace
}  // namespace heed
