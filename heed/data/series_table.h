// One table of a time series, as its file has it: delimiter, header, decimal
// mark and the column that tells the time are detected.
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

/// How tables of series are written; what is open is detected.
struct SeriesFormat {
  Auto<Delimiter> delimiter = {};
  Auto<Decimal> decimal = {};
  Auto<HeaderLine> header = {};
  Auto<DateOrder> dates = {};
  /// Name of the column that tells the time; "": it is detected; "none": there
  /// is none.
  std::string time_column = {};

  void Visit(FieldList& v);
};

/// Properties of the series that a model was trained with, used to read
/// further tables of that series.
struct KnownSeries {
  std::vector<std::string> names = {};  ///< of its columns, without the time
  std::string time_name = {};
  Auto<DateOrder> dates = {};
  TimeStep step = {};
};

/// Rows in the order of the file.
struct SeriesTable {
  std::vector<std::string> names;  ///< [C] of the columns of numbers
  std::vector<double> values;      ///< [N, C]
  std::vector<int64_t> lines;      ///< [N] where each row ends, from 1
  std::vector<std::string> times;  ///< [N] as written, or empty
  std::string time_name;
  std::optional<TimeColumn>
      time;  ///< nothing: times are text, or there are none
  bool header = true;
  std::vector<std::string> notes;  ///< what was detected, a line each
};

/// Reads the lines of a file, which errors call `name`. `known` may be null.
/// Throws: FormatError that names file, line and column of an empty cell, of
/// text where a number or a time should stand, of a row with more or fewer
/// fields than the first, and of a quote that is not closed; FormatError for
/// names that are missing or come twice and for a file without rows.
SeriesTable ReadSeriesTable(std::vector<std::string> lines,
                            const std::string& name, const SeriesFormat& format,
                            const KnownSeries* known);

}  // namespace heed

#endif  // HEED_DATA_SERIES_TABLE_H_
