#include "heed/metrics/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "heed/base/errors.h"

namespace heed {
namespace {

constexpr double kLevel = 0.01;
constexpr int64_t kMaxGroups = 20;
constexpr int64_t kFewGroups = 5;
constexpr int64_t kFewestGroups = 3;
// Ridge term that keeps the equations of a constant or repeating column
// solvable.
constexpr double kRidge = 1e-8;

size_t Index(int64_t i) { return static_cast<size_t>(i); }

/// Solves A x = b for a symmetric positive definite A [n, n] (Cholesky).
std::vector<double> Solve(std::vector<double> a, std::vector<double> b) {
  const size_t n = b.size();
  for (size_t j = 0; j < n; ++j) {
    for (size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return b;
}

/// Fits the 1 + p weights of a column.
std::vector<double> FitColumn(std::span<const float> rows, size_t columns,
                              size_t column, size_t order) {
  const size_t n = order + 1;
  const size_t count = rows.size() / columns;
  std::vector<double> a(n * n), b(n), x(n, 1.0);
  for (size_t t = order; t < count; ++t) {
    for (size_t i = 1; i < n; ++i) {
      x[i] = static_cast<double>(rows[(t - i) * columns + column]);
    }
    const auto y = static_cast<double>(rows[t * columns + column]);
    for (size_t i = 0; i < n; ++i) {
      b[i] += x[i] * y;
      for (size_t j = 0; j <= i; ++j) a[i * n + j] += x[i] * x[j];
    }
  }
  double trace = 0;
  for (size_t i = 0; i < n; ++i) trace += a[i * n + i];
  for (size_t i = 0; i < n; ++i) {
    a[i * n + i] += kRidge * trace / static_cast<double>(n);
    for (size_t j = i + 1; j < n; ++j) a[i * n + j] = a[j * n + i];
  }
  return Solve(std::move(a), std::move(b));
}

void CheckPast(std::span<const float> past, int64_t columns, int64_t rows,
               const char* what) {
  if (static_cast<int64_t>(past.size()) < rows * columns) {
    throw ConfigError("{} {} needs as many rows before, not {}", what, rows,
                      static_cast<int64_t>(past.size()) / columns);
  }
}

/// Mean of each of `groups` consecutive, nearly equal parts.
std::vector<double> GroupMeans(std::span<const double> values, int64_t groups) {
  const auto n = static_cast<int64_t>(values.size());
  std::vector<double> means;
  for (int64_t g = 0; g < groups; ++g) {
    const auto part = values.subspan(
        Index(g * n / groups), Index((g + 1) * n / groups - g * n / groups));
    means.push_back(std::accumulate(part.begin(), part.end(), 0.0) /
                    static_cast<double>(part.size()));
  }
  return means;
}

/// t statistic of the hypothesis that the expectation is 0; infinite if the
/// deviation is 0.
double StudentStatistic(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  if (mean == 0) return 0;
  return error > 0
             ? mean / error
             : std::copysign(std::numeric_limits<double>::infinity(), mean);
}

double Mean(std::span<const double> values) {
  return values.empty() ? 0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

ForecastError MeanOf(const std::vector<ForecastError>& errors) {
  ForecastError mean;
  for (const ForecastError& error : errors) {
    mean.mse += error.mse / static_cast<double>(errors.size());
    mean.mae += error.mae / static_cast<double>(errors.size());
  }
  return mean;
}

}  // namespace

ForecastErrors::ForecastErrors(int64_t horizon, int64_t columns,
                               std::vector<double> deviations)
    : horizon_(horizon),
      columns_(columns),
      deviations_(std::move(deviations)),
      sums_(Index(horizon * columns)) {
  if (deviations_.empty()) deviations_.assign(Index(columns), 1.0);
  if (deviations_.size() != Index(columns)) {
    throw ShapeError("forecast errors: {} deviations, {} columns",
                     deviations_.size(), columns);
  }
}

void ForecastErrors::Add(std::span<const float> forecast,
                         std::span<const float> actual) {
  const size_t size = sums_.size();
  if (forecast.size() != actual.size() || forecast.size() % size != 0) {
    throw ShapeError("forecast errors: {} numbers for {} in windows of {}",
                     forecast.size(), actual.size(), size);
  }
  for (size_t window = 0; window < forecast.size(); window += size) {
    double loss = 0;
    for (size_t i = 0; i < size; ++i) {
      const double error = static_cast<double>(forecast[window + i]) -
                           static_cast<double>(actual[window + i]);
      if (!std::isfinite(error)) {
        throw NumericError("forecast errors: a number that is not finite");
      }
      sums_[i].mse += error * error;
      sums_[i].mae += std::abs(error);
      loss += error * error;
    }
    window_losses_.push_back(loss / static_cast<double>(size));
  }
}

std::vector<ForecastError> ForecastErrors::Means(bool by_steps) const {
  std::vector<ForecastError> means(Index(by_steps ? horizon_ : columns_));
  const double count = static_cast<double>(
      std::max<int64_t>(1, windows() * (by_steps ? columns_ : horizon_)));
  for (size_t i = 0; i < sums_.size(); ++i) {
    ForecastError& mean =
        means[by_steps ? i / Index(columns_) : i % Index(columns_)];
    mean.mse += sums_[i].mse / count;
    mean.mae += sums_[i].mae / count;
  }
  return means;
}

std::vector<ForecastError> ForecastErrors::BySteps() const {
  return Means(true);
}

std::vector<ForecastError> ForecastErrors::ByColumns() const {
  return Means(false);
}

std::vector<ForecastError> ForecastErrors::ByColumnsInOwnUnits() const {
  std::vector<ForecastError> errors = ByColumns();
  for (size_t c = 0; c < errors.size(); ++c) {
    errors[c].mse *= deviations_[c] * deviations_[c];
    errors[c].mae *= deviations_[c];
  }
  return errors;
}

ForecastError ForecastErrors::Total() const { return MeanOf(ByColumns()); }

ForecastError ForecastErrors::TotalInOwnUnits() const {
  return MeanOf(ByColumnsInOwnUnits());
}

std::vector<float> NaiveForecast(std::span<const float> past, int64_t columns,
                                 int64_t period, int64_t horizon) {
  if (period < 1) throw ConfigError("a seasonal period must be at least 1");
  CheckPast(past, columns, period, "a seasonal period of");
  const auto season = past.last(Index(period * columns));
  std::vector<float> forecast(Index(horizon * columns));
  for (size_t i = 0; i < forecast.size(); ++i) {
    forecast[i] = season[i % season.size()];
  }
  return forecast;
}

Autoregression::Autoregression(std::span<const float> rows, int64_t columns,
                               int64_t order)
    : columns_(columns), order_(order) {
  if (order < 1) throw ConfigError("autoregression: an order below 1");
  CheckPast(rows, columns, 2 * order + 1, "autoregression of half of");
  for (size_t c = 0; c < Index(columns); ++c) {
    const std::vector<double> weights =
        FitColumn(rows, Index(columns), c, Index(order));
    weights_.insert(weights_.end(), weights.begin(), weights.end());
  }
}

std::vector<float> Autoregression::Forecast(std::span<const float> past,
                                            int64_t horizon) const {
  CheckPast(past, columns_, order_, "autoregression of order");
  const size_t columns = Index(columns_);
  const size_t order = Index(order_);
  const auto last = past.last(order * columns);
  std::vector<float> rows(last.begin(), last.end());
  rows.resize((order + Index(horizon)) * columns);
  for (size_t i = order * columns; i < rows.size(); ++i) {
    const double* weights = &weights_[i % columns * (order + 1)];
    double sum = weights[0];
    for (size_t lag = 1; lag <= order; ++lag) {
      sum += weights[lag] * static_cast<double>(rows[i - lag * columns]);
    }
    // Clamps the forecasts of an unstable model to finite values.
    constexpr double kLimit = std::numeric_limits<float>::max();
    rows[i] = static_cast<float>(std::clamp(sum, -kLimit, kLimit));
  }
  rows.erase(rows.begin(),
             rows.begin() + static_cast<std::ptrdiff_t>(order * columns));
  return rows;
}

double SkillScore(double mse, double baseline_mse) {
  if (baseline_mse > 0) return 1 - mse / baseline_mse;
  return mse > 0 ? -std::numeric_limits<double>::infinity() : 0;
}

std::string ForecastComparison::Verdict(const std::string& baseline) const {
  if (groups == 0) {
    return fmt::format("too few windows to say whether better than {}",
                       baseline);
  }
  return fmt::format("{}better than {} (skill {:.3f}, {})",
                     better ? "" : "not ", baseline, skill,
                     PValueEquation(p_value));
}

std::string PValueText(double p) {
  constexpr double kMin = 1e-4;
  return p < kMin ? "< 0.0001" : fmt::format("{:.4f}", p);
}

std::string PValueEquation(double p) {
  const std::string text = PValueText(p);
  return fmt::format("p {}{}", text.front() == '<' ? "" : "= ", text);
}

ForecastComparison CompareForecasts(std::span<const double> losses,
                                    std::span<const double> baseline_losses,
                                    int64_t overlap) {
  if (losses.size() != baseline_losses.size()) {
    throw ShapeError("forecasts of {} and {} windows", losses.size(),
                     baseline_losses.size());
  }
  if (overlap < 1) throw ConfigError("an overlap of windows below 1");
  ForecastComparison result;
  result.skill = SkillScore(Mean(losses), Mean(baseline_losses));
  const auto n = static_cast<int64_t>(losses.size());
  int64_t groups = n / (2 * overlap);
  if (groups < kFewGroups) groups = n / overlap;
  if (groups < kFewestGroups) return result;
  result.groups = std::min(groups, kMaxGroups);

  std::vector<double> gains(losses.size());
  for (size_t i = 0; i < gains.size(); ++i) {
    gains[i] = baseline_losses[i] - losses[i];
  }
  result.statistic = StudentStatistic(GroupMeans(gains, result.groups));
  result.p_value = StudentTail(result.statistic, result.groups - 1);
  result.better = result.p_value < kLevel;
  return result;
}

double StudentTail(double t, int64_t freedom) {
  // Finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4.
  const auto n = static_cast<double>(freedom);
  const double angle = std::atan2(std::abs(t), std::sqrt(n));
  const double sine = std::sin(angle);
  const double square = std::cos(angle) * std::cos(angle);
  const bool odd = freedom % 2 != 0;
  double term = odd ? std::cos(angle) : 1;
  double sum = 0;
  for (int64_t k = odd ? 1 : 0; k <= freedom - 2; k += 2) {
    sum += term;
    term *= square * static_cast<double>(k + 1) / static_cast<double>(k + 2);
  }
  const double inside =
      odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
  const double tail = std::clamp((1 - inside) / 2, 0.0, 0.5);
  return t >= 0 ? tail : 1 - tail;
}

}  // namespace heed
