// A date within a cell.
#ifndef HEED_DATA_TIME_DATE_H_
#define HEED_DATA_TIME_DATE_H_

#include <span>
#include <vector>

#include "heed/data/calendar.h"
#include "heed/data/time_cell.h"
#include "heed/data/time_clock.h"

namespace heed {

/// One interpretation of tokens as a date.
struct DateParts {
  DateForm form;
  CalendarDay day;
  std::vector<TimeReading::Part> parts;
};

/// All interpretations of the tokens as one date: "31 Jan 2024", "2024Q1".
std::vector<DateParts> ReadDate(std::span<const TimeToken> tokens);

}  // namespace heed

#endif  // HEED_DATA_TIME_DATE_H_
