// Detection of the time columns of a table.
#ifndef HEED_DATA_SERIES_TIME_H_
#define HEED_DATA_SERIES_TIME_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/time_axis.h"

namespace heed {

/// Cells of a row or of a column.
using TableCells = std::vector<std::string>;

/// Columns that together hold the time.
struct TimePlace {
  enum class Join : uint8_t {
    kSpace,      ///< one cell, or a date and its time of day
    kHour,       ///< a date and a number of hours
    kClock,      ///< a date and a time as digits, "130000", or "13.00.00"
    kCalendar,   ///< year, month, day, hour, minute, or a prefix of these
    kDayOfYear,  ///< year, day of the year, hour, minute
    kQuarter,    ///< year, quarter
    kWeek,       ///< year, week
  };

  std::vector<size_t> columns;
  Join join = Join::kSpace;

  /// Time of a row as one text.
  std::string Cell(const TableCells& row) const;
  std::string Name(const TableCells& names) const;
};

/// Sample of a table for the search of time columns.
struct TimeSearch {
  std::span<const TableCells> rows;  ///< first rows, without a header
  const TableCells& names;           ///< of all columns
  std::function<bool(const std::string& name)> is_series;  ///< known as values
  Auto<DateOrder> order;
  std::string known_name;  ///< name of a trained model's time, or empty

  TableCells Column(size_t i) const;
};

struct FoundTime {
  TimePlace place = {};
  std::string kind = {};  ///< unit of numbers: "Unix seconds"; empty for dates
  bool doubtful = false;  ///< the numbers may also be values
};

/// Finds the time columns. Dates take precedence over row counts; a time of day
/// without a date is only used if there is nothing else.
std::optional<FoundTime> FindTime(const TimeSearch& search);

/// True if a column rises or falls by constant steps, like a row number.
bool CountsRows(const TableCells& column);

}  // namespace heed

#endif  // HEED_DATA_SERIES_TIME_H_
