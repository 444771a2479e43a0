// Time series: splits, standardisation, and forecasting windows.
#ifndef HEED_DATA_SERIES_H_
#define HEED_DATA_SERIES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// Range of rows [begin, end).
struct RowRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
  bool operator==(const RowRange&) const = default;
};

/// Consecutive parts in time order.
struct SeriesSplit {
  RowRange train, valid, test;
  bool operator==(const SeriesSplit&) const = default;
};

/// Splits `rows` rows. "8640,2880,2880" gives numbers of rows (further rows are
/// unused), "0.7,0.1,0.2" gives shares that sum to 1, and "ett" is
/// 8640,2880,2880 (12, 4 and 4 months of hours). Throws: ConfigError for other
/// texts and too few rows.
SeriesSplit SplitRows(std::string_view text, int64_t rows);

/// z = (x − mean) / deviation per column, with statistics of given rows. A
/// constant column is only centred (deviation 1).
class Standardizer {
 public:
  /// Computes statistics of the rows `fitted`. Throws: ShapeError unless values
  /// are f64 [N, C] and contain `fitted`.
  Standardizer(const Tensor& values, RowRange fitted);
  /// Throws: ShapeError for different lengths, NumericError for a deviation
  /// that is not positive.
  Standardizer(std::vector<double> means, std::vector<double> deviations);

  /// Shapes: x f32 or f64 [..., C]; result like x. Throws: ShapeError.
  Tensor Apply(const Tensor& x) const;
  Tensor Invert(const Tensor& z) const;

  const std::vector<double>& means() const { return means_; }
  const std::vector<double>& deviations() const { return deviations_; }

 private:
  void Check(const Tensor& x) const;

  std::vector<double> means_;
  std::vector<double> deviations_;
};

/// Forecasting window: inputs are the `lookback` rows before its origin,
/// targets the `horizon` rows from its origin on.
struct WindowShape {
  int64_t lookback = 0;  ///< L
  int64_t horizon = 0;   ///< H
};

/// Origins, every `stride` rows, whose horizons lie within `part`. Inputs lie
/// within `part`, too; with `reach_back` they may extend into earlier rows, so
/// that the first row of `part` is also forecast. This leaks no future values.
/// Throws: ConfigError for sizes below 1, or if no window fits.
std::vector<int64_t> WindowOrigins(RowRange part, const WindowShape& window,
                                   int64_t stride, bool reach_back);

/// A batch of B windows, f32.
struct SeriesBatch {
  Tensor inputs;   ///< [B, L, C]
  Tensor targets;  ///< [B, H, C]
};

/// Windows of `values` (f64 [N, C]) at `origins`, in this order. Throws:
/// ShapeError if a window exceeds the rows.
SeriesBatch MakeSeriesBatch(const Tensor& values,
                            std::span<const int64_t> origins,
                            const WindowShape& window);

}  // namespace heed

#endif  // HEED_DATA_SERIES_H_
