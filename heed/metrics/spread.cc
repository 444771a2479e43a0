#include "heed/metrics/spread.h"

#include <cmath>

namespace heed {

double MeanOf(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

Spread ComputeSpread(std::span<const double> values) {
  if (values.empty()) return {};
  Spread spread = {MeanOf(values), 0};
  if (values.size() == 1) return spread;
  double squares = 0;
  for (const double x : values) {
    squares += (x - spread.mean) * (x - spread.mean);
  }
  spread.deviation =
      std::sqrt(squares / static_cast<double>(values.size() - 1));
  return spread;
}

}  // namespace heed
