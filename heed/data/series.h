// Rows of time series: parts, scales, and the windows that a forecaster learns
// from and is judged on.
#ifndef HEED_DATA_SERIES_H_
#define HEED_DATA_SERIES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// Rows [begin, end).
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
  bool operator==(const RowRange&) const = default;
};

/// Parts in time order, one behind the other.
struct SeriesSplit {
  RowRange train, valid, test;
  bool operator==(const SeriesSplit&) const = default;
};

/// Where `rows` rows are cut: "8640,2880,2880" are numbers of rows (what is
/// left over at the end is not used), "0.7,0.1,0.2" shares that sum to 1, and
/// "ett" is 8640,2880,2880: 12, 4 and 4 months of hours.
/// Throws: ConfigError for another text and for too few rows.
SeriesSplit SplitRows(std::string_view text, int64_t rows);

/// z = (x − mean) / deviation for each column, with the statistics of some
/// rows. A column that is constant there is only centred (deviation 1).
class Standardizer {
 public:
  /// Throws: ShapeError unless values are f64 [N, C] with `fitted` in them.
  Standardizer(const Tensor& values, RowRange fitted);
  /// Throws: ShapeError for different lengths, NumericError for a deviation
  /// that is not above zero.
  Standardizer(std::vector<double> means, std::vector<double> deviations);

  /// Shapes: x f32 or f64 [..., C], the result is alike. Throws: ShapeError.
  Tensor Apply(const Tensor& x) const;
  Tensor Invert(const Tensor& z) const;

  const std::vector<double>& means() const { return means_; }
  const std::vector<double>& deviations() const { return deviations_; }

 private:
  void Check(const Tensor& x) const;

  std::vector<double> means_;
  std::vector<double> deviations_;
};

/// A window reads the `lookback` rows before its origin, and is to say the
/// `horizon` rows from its origin on.
struct WindowShape {
  int64_t lookback = 0;  ///< L
  int64_t horizon = 0;   ///< H
};

/// The origins, every `stride` rows, whose horizons lie within `part`. Inputs
/// lie within it too, or with `reach_back` in any rows before: what has been
/// seen by then, so nothing leaks, and the first row is forecast as well.
/// Throws: ConfigError for sizes below 1 and if not one window fits.
std::vector<int64_t> WindowOrigins(RowRange part, const WindowShape& window,
                                   int64_t stride, bool reach_back);

/// B windows, f32.
struct SeriesBatch {
  Tensor inputs;   ///< [B, L, C]
  Tensor targets;  ///< [B, H, C]
};

/// The windows at `origins` of `values` (f64 [N, C]), in that order.
/// Throws: ShapeError if a window reaches outside of the rows.
SeriesBatch MakeSeriesBatch(const Tensor& values,
                            std::span<const int64_t> origins,
                            const WindowShape& window);

}  // namespace heed

#endif  // HEED_DATA_SERIES_H_
