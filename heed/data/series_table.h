// A single table of a time series. Delimiter, header, decimal mark and time
// column are detected.
#ifndef HEED_DATA_SERIES_TABLE_H_
#define HEED_DATA_SERIES_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/data/fields.h"
#include "heed/data/numbers.h"
#include "heed/data/time_axis.h"

namespace heed {

/// Format of series tables. Open values are detected.
struct SeriesFormat {
  Auto<Delimiter> delimiter = {};
  Auto<Decimal> decimal = {};
  Auto<HeaderLine> header = {};
  Auto<DateOrder> dates = {};
  /// Name of the time column; "": detected; "none": there is none.
  std::string time_column = {};

  void Visit(FieldList& v);
};

/// Properties of the series that a model was trained with, used to read
/// further tables of that series.
struct KnownSeries {
  std::vector<std::string> names = {};  ///< value columns, without the time
  std::string time_name = {};
  Auto<DateOrder> dates = {};
  TimeStep step = {};
};

/// A table with rows in file order.
struct SeriesTable {
  std::vector<std::string> names;  ///< [C] names of the value columns
  std::vector<double> values;      ///< [N, C]
  std::vector<int64_t> lines;      ///< [N] last line of each row, from 1
  std::vector<std::string> times;  ///< [N] as in the file, or empty
  std::string time_name;
  std::optional<TimeColumn>
      time;  ///< nullopt: times are text, or there are none
  bool header = true;
  std::vector<std::string> notes;  ///< what was detected, one per line
};

/// Parses the lines of a file. `name`: name for error messages. `known`: may be
/// null. Throws: FormatError with file, line and column, for an empty cell,
/// text instead of a number or time, a row with a wrong number of fields, or an
/// unclosed quote; FormatError for missing or duplicate names and for a file
/// without rows.
SeriesTable ReadSeriesTable(std::vector<std::string> lines,
                            const std::string& name, const SeriesFormat& format,
                            const KnownSeries* known);

}  // namespace heed

#endif  // HEED_DATA_SERIES_TABLE_H_
