// How well numbers of the future are forecast, and whether better than by the
// simplest means.
#ifndef HEED_METRICS_FORECAST_H_
#define HEED_METRICS_FORECAST_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed {

/// Means of squared and of absolute errors.
struct ForecastError {
  double mse = 0;
  double mae = 0;
};

/// Errors of forecasts of H rows of C columns, window by window in time order.
class ForecastErrors {
 public:
  /// `deviations` [C] bring errors back to the units of each column; empty for
  /// errors that are in these units already.
  ForecastErrors(int64_t horizon, int64_t columns,
                 std::vector<double> deviations = {});

  /// Any number of windows [H, C]. Throws: ShapeError if the lengths differ or
  /// are not whole windows, NumericError if a number is not finite.
  void Add(std::span<const float> forecast, std::span<const float> actual);

  int64_t windows() const {
    return static_cast<int64_t>(window_losses_.size());
  }
  /// Over everything, in the units of Add; 0 without windows.
  ForecastError Total() const;
  /// For each of the H steps ahead, in the units of Add.
  std::vector<ForecastError> BySteps() const;
  /// For each of the C columns, in the units of Add.
  std::vector<ForecastError> ByColumns() const;
  /// For each of the C columns, in its own units.
  std::vector<ForecastError> ByColumnsInOwnUnits() const;
  /// Over everything with each column in its own units.
  ForecastError TotalInOwnUnits() const;
  /// Mean squared error of each window.
  const std::vector<double>& window_losses() const { return window_losses_; }

 private:
  std::vector<ForecastError> Means(bool by_steps) const;

  int64_t horizon_;
  int64_t columns_;
  std::vector<double> deviations_;
  std::vector<ForecastError> sums_;  // [H, C]
  std::vector<double> window_losses_;
};

/// Repeats the last `period` rows of the past: with period 1 the last row (the
/// naive forecast), else the seasonal naive one. Shapes: past [any, C], the
/// result [H, C]. Throws: ConfigError if the past is shorter than the period.
std::vector<float> NaiveForecast(std::span<const float> past, int64_t columns,
                                 int64_t period, int64_t horizon);

/// Each column by itself as x_t = a_0 + Σ_{i=1..p} a_i x_{t−i}, fitted by least
/// squares; forecasts feed their own numbers back.
class Autoregression {
 public:
  /// Shapes: rows [N, C]. Throws: ConfigError for an order below 1 or fewer
  /// rows than 2 p + 1.
  Autoregression(std::span<const float> rows, int64_t columns, int64_t order);

  /// Shapes: past [any, C], result [H, C].
  /// Throws: ConfigError if the past is shorter than the order.
  std::vector<float> Forecast(std::span<const float> past,
                              int64_t horizon) const;

 private:
  int64_t columns_;
  int64_t order_;
  std::vector<double> weights_;  // [C, 1 + p]
};

/// 1 − mse / mse of the baseline: 1 is perfect, 0 as good, below 0 worse. If
/// the baseline has no error, 0 for a forecast without, else −infinity.
double SkillScore(double mse, double baseline_mse);

/// What a comparison on the same windows says.
struct ForecastComparison {
  double skill = 0;
  double statistic = 0;  ///< t; above 0: the forecast has the smaller error
  double p_value = 1;    ///< one-sided: as great a t by luck
  int64_t groups = 0;    ///< independent stretches of time; 0: too few to tell
  bool better = false;   ///< p_value < 0.01

  /// "better than naive (skill 0.702, p < 0.0001)" or "not better than ...".
  std::string Verdict(const std::string& baseline) const;
};

/// Whether a forecast is better than a baseline, from the squared errors of
/// both in each window, windows in time order, `overlap` of them sharing rows
/// with one another (the horizon divided by the stride, rounded up). Windows
/// that overlap are not independent, so the differences are averaged over
/// stretches of time of at least twice (if that leaves fewer than 5 of them,
/// once) the overlap, 20 at most, and these means are put to Student's test.
/// With fewer than 3 stretches nothing is called better.
/// Throws: ShapeError for different lengths, ConfigError for an overlap below
/// 1.
/// Paper: Diebold and Mariano 1995 (the difference of losses); Ibragimov and
/// Müller 2010, "t-Statistic Based Correlation and Heterogeneity Robust
/// Inference" (the means of groups).
ForecastComparison CompareForecasts(std::span<const double> losses,
                                    std::span<const double> baseline_losses,
                                    int64_t overlap);

/// "0.0123" or "< 0.0001", below which digits say nothing.
std::string PValueText(double p);

/// P(T > t) for Student's distribution of `freedom` ≥ 1 degrees.
double StudentTail(double t, int64_t freedom);

}  // namespace heed

#endif  // HEED_METRICS_FORECAST_H_
