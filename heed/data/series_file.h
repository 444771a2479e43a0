// Time series from files: rows in the order of time, and what is known of it.
#ifndef HEED_DATA_SERIES_FILE_H_
#define HEED_DATA_SERIES_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/series_table.h"
#include "heed/data/time_axis.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// The times of the rows of a series.
struct TimeAxis {
  std::string name;
  TimeColumn column;  ///< without moments
  Moment last = 0;    ///< of the last row
  TimeStep step;
  bool local = false;  ///< steps are those of a local clock

  bool known() const { return !name.empty(); }
  /// The `count` times behind the last row, as the file writes times. None if
  /// the step is unknown.
  std::vector<std::string> Behind(int64_t count) const;
};

/// N rows of C numbers, in the order of time where it is known.
struct TimeSeries {
  std::vector<std::string> names;  ///< [C]
  std::vector<std::string> times;  ///< [N] as written, or empty
  Tensor values;                   ///< f64 [N, C]
  TimeAxis axis;
  /// Notes and warnings about the detected format, one per line.
  std::vector<std::string> notes;

  int64_t rows() const { return values.dim(0); }
  int64_t columns() const { return values.dim(1); }
  /// Column names, time format and step, to read further tables of this kind.
  KnownSeries Known() const {
    return {names, axis.name, axis.column.order, axis.step};
  }
};

/// The rows of tables, plain or gzip, one after the other, sorted by time; says
/// what was detected on standard error. Throws: ConfigError if there is no
/// file; FormatError as ReadSeriesTable, and for a file with other columns than
/// the first; as ReadLines.
TimeSeries ReadTimeSeries(const std::vector<std::string>& paths,
                          const SeriesFormat& format = {},
                          const KnownSeries* known = nullptr);
/// Parses the text of a file, which errors call `name`. Prints nothing: the
/// result holds the notes.
TimeSeries ParseTimeSeries(std::string_view text, const std::string& name,
                           const SeriesFormat& format = {},
                           const KnownSeries* known = nullptr);

}  // namespace heed

#endif  // HEED_DATA_SERIES_FILE_H_
