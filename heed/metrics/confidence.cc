#include "heed/metrics/confidence.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "heed/metrics/forecast.h"

namespace heed {
namespace {

/// The t at which the upper tail of Student's t-distribution is `tail`.
double StudentQuantile(double tail, int64_t freedom) {
  double low = 0, high = 1;
  while (StudentTail(high, freedom) > tail && high < 1e9) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (StudentTail(middle, freedom) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace

MeanInterval ConfidenceOfMean(std::span<const double> numbers,
                              double confidence) {
  MeanInterval interval = {0, std::numeric_limits<double>::infinity(), 1};
  if (numbers.empty()) return interval;
  const auto n = static_cast<double>(numbers.size());
  for (const double x : numbers) interval.mean += x / n;
  if (numbers.size() < 2) return interval;
  double squares = 0;
  for (const double x : numbers) {
    squares += (x - interval.mean) * (x - interval.mean);
  }
  const double error = std::sqrt(squares / (n - 1) / n);
  const int64_t freedom = std::ssize(numbers) - 1;
  interval.half_width = StudentQuantile((1 - confidence) / 2, freedom) * error;
  if (interval.mean != 0) {
    interval.p_value =
        error > 0 ? 2 * StudentTail(std::abs(interval.mean) / error, freedom)
                  : 0;
  }
  return interval;
}

}  // namespace heed
