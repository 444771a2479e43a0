// Reading of time series from files, sorted by time.
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

/// Time axis of a series.
struct TimeAxis {
  std::string name;
  TimeColumn column;  ///< without moments
  Moment last = 0;    ///< of the last row
  TimeStep step;
  bool local = false;  ///< steps are in local time

  bool known() const { return !name.empty(); }
  /// The `count` times after the last row, in the file's format. Empty if the
  /// step is unknown.
  std::vector<std::string> Behind(int64_t count) const;
};

/// N rows of C numbers, in time order if times are known.
struct TimeSeries {
  std::vector<std::string> names;  ///< [C]
  std::vector<std::string> times;  ///< [N] as in the file, or empty
  Tensor values;                   ///< f64 [N, C]
  TimeAxis axis;
  /// Notes and warnings about the detected format, one per line.
  std::vector<std::string> notes;

  int64_t rows() const { return values.dim(0); }
  int64_t columns() const { return values.dim(1); }
  /// Column names, time format and step, for reading further tables of this
  /// series.
  KnownSeries Known() const {
    return {names, axis.name, axis.column.order, axis.step};
  }
};

/// Reads tables (plain or gzip), concatenates their rows and sorts them by
/// time. Prints what was detected on standard error. Throws: ConfigError
/// without a file; FormatError as ReadSeriesTable, and for a file with other
/// columns than the first; as ReadLines.
TimeSeries ReadTimeSeries(const std::vector<std::string>& paths,
                          const SeriesFormat& format = {},
                          const KnownSeries* known = nullptr);
/// Parses the text of a file. `name`: name for error messages. Prints nothing;
/// the result contains the notes.
TimeSeries ParseTimeSeries(std::string_view text, const std::string& name,
                           const SeriesFormat& format = {},
                           const KnownSeries* known = nullptr);

}  // namespace heed

#endif  // HEED_DATA_SERIES_FILE_H_
