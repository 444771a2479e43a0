// Dates in human formats with their ISO form: a task that needs no files.
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

/// A date as text and in ISO form: "Thursday, March 5, 1998", "1998-03-05".
struct DateExample {
  std::string text;
  std::string iso;
};

/// Date formats, such as "{weekday}, {month} {d}, {year}". No text is ambiguous
/// between two formats: all-digit dates are day first with dots and hyphens,
/// month first with slashes, or begin with the year.
std::span<const std::string_view> DateFormats();

/// Formats `date`, from 1900 to 2099, by one of DateFormats().
std::string FormatDate(std::chrono::year_month_day date,
                       std::string_view format);

/// Makes dates uniform over 1900-01-01 to 2099-12-31. Each has a random format,
/// unchanged, in lower case or in upper case. The result is equal on every
/// platform. Throws: ConfigError for a negative count.
std::vector<DateExample> MakeDates(int count, uint64_t seed);

/// Texts are the source, ISO dates the target.
struct DateTask {
  ParallelText train, valid, test;
};

/// Makes dates in random formats without duplicate texts. Parts share no day,
/// so a test date never occurs in training in any format. Throws: ConfigError
/// for negative counts and for more texts than a part's days (8 : 1 : 1)
/// provide, 16 per day.
DateTask MakeDateTask(int train, int valid, int test, uint64_t seed);

}  // namespace heed

#endif  // HEED_COURSE_DATA_DATES_H_
