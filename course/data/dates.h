// Dates as people write them, with their ISO form: a task that needs no files.
#ifndef HEED_COURSE_DATA_DATES_H_
#define HEED_COURSE_DATA_DATES_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/corpus.h"

namespace heed {

/// "Thursday, March 5, 1998" and "1998-03-05".
struct DateExample {
  std::string text;
  std::string iso;
};

/// The ways to write a date, as "{weekday}, {month} {d}, {year}". No text of
/// one way means another day in another way: all-digit dates are day first with
/// dots and hyphens, month first with slashes, or begin with the year.
std::span<const std::string_view> DateFormats();

/// `date`, a valid one from 1900 to 2099, in one of DateFormats().
std::string FormatDate(std::chrono::year_month_day date,
                       std::string_view format);

/// Days uniform over 1900-01-01 to 2099-12-31, each in a random format and as
/// written there, in lower case or in upper case. The same on every platform.
/// Throws: ConfigError for a negative count.
std::vector<DateExample> MakeDates(int count, uint64_t seed);

/// Texts are the source, ISO dates the target.
struct DateTask {
  ParallelText train, valid, test;
};

/// As MakeDates, but no text comes twice, and no day of one part comes in
/// another: a test date was never seen in training, in any format.
/// Throws: ConfigError for negative counts and for more texts than the days of
/// a part (8 : 1 : 1) provide, 16 for each.
DateTask MakeDateTask(int train, int valid, int test, uint64_t seed);

}  // namespace heed

#endif  // HEED_COURSE_DATA_DATES_H_
