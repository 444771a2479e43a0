// Forecast errors, baselines and significance tests.
#ifndef HEED_METRICS_FORECAST_H_
#define HEED_METRICS_FORECAST_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed {

/// Mean squared error and mean absolute error.
struct ForecastError {
  double mse = 0;
  double mae = 0;
};

/// Errors of forecasts of H rows of C columns, collected window by window in
/// time order.
class ForecastErrors {
 public:
  /// `deviations` [C] convert errors to the units of each column; empty if
  /// errors already have these units.
  ForecastErrors(int64_t horizon, int64_t columns,
                 std::vector<double> deviations = {});

  /// Adds any number of windows [H, C]. Throws: ShapeError if the lengths
  /// differ or are not whole windows, NumericError if a number is not finite.
  void Add(std::span<const float> forecast, std::span<const float> actual);

  int64_t windows() const {
    return static_cast<int64_t>(window_losses_.size());
  }
  /// Errors over all windows, steps and columns, in the units of Add; 0 without
  /// windows.
  ForecastError Total() const;
  /// Errors of each of the H steps ahead, in the units of Add.
  std::vector<ForecastError> BySteps() const;
  /// Errors of each of the C columns, in the units of Add.
  std::vector<ForecastError> ByColumns() const;
  /// Errors of each of the C columns, in its own units.
  std::vector<ForecastError> ByColumnsInOwnUnits() const;
  /// Errors over all windows, steps and columns, each column in its own units.
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

/// Repeats the last `period` rows of the past: the naive forecast for period 1,
/// otherwise the seasonal naive forecast. Shapes: past [any, C], result [H, C].
/// Throws: ConfigError if the past is shorter than the period.
std::vector<float> NaiveForecast(std::span<const float> past, int64_t columns,
                                 int64_t period, int64_t horizon);

/// Autoregressive model of each column, x_t = a_0 + Σ_{i=1..p} a_i x_{t−i},
/// fitted by least squares. Forecasts of several steps use their own
/// predictions as input.
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

/// Skill score 1 − mse / baseline_mse: 1 is perfect, 0 equals the baseline,
/// below 0 is worse. For a baseline without error: 0 if the forecast has no
/// error, else −infinity.
double SkillScore(double mse, double baseline_mse);

/// Result of comparing a forecast with a baseline on the same windows.
struct ForecastComparison {
  double skill = 0;
  double statistic = 0;  ///< t; positive if the forecast has the smaller error
  double p_value = 1;    ///< one-sided
  int64_t groups = 0;    ///< independent stretches of time; 0: too few
  bool better = false;   ///< p_value < 0.01

  /// "better than naive (skill 0.702, p < 0.0001)" or "not better than ...".
  std::string Verdict(const std::string& baseline) const;
};

/// Tests whether a forecast is better than a baseline, from the squared errors
/// of both in each window. Windows are in time order, and `overlap` of them
/// share rows (the horizon divided by the stride, rounded up). Overlapping
/// windows are not independent, so the error differences are averaged over at
/// most 20 stretches of time. A stretch is at least twice the overlap long
/// (once if that leaves fewer than 5 stretches). The means of the stretches are
/// tested with Student's t-test. With fewer than 3 stretches no forecast is
/// called better.
/// Throws: ShapeError for different lengths, ConfigError for an overlap below
/// 1.
/// Paper: Diebold and Mariano 1995 (loss differences); Ibragimov and Müller
/// 2010, "t-Statistic Based Correlation and Heterogeneity Robust Inference"
/// (group means).
ForecastComparison CompareForecasts(std::span<const double> losses,
                                    std::span<const double> baseline_losses,
                                    int64_t overlap);

/// "0.0123", or "< 0.0001" for smaller values.
std::string PValueText(double p);
/// "p = 0.0123", or "p < 0.0001" for smaller values.
std::string PValueEquation(double p);

/// Upper tail P(T > t) of Student's t-distribution with `freedom` ≥ 1 degrees
/// of freedom.
double StudentTail(double t, int64_t freedom);

}  // namespace heed

#endif  // HEED_METRICS_FORECAST_H_
