// Mean and standard deviation of several runs.
#ifndef HEED_METRICS_SPREAD_H_
#define HEED_METRICS_SPREAD_H_

#include <span>

namespace heed {

/// Σ x / n. Range: at least one value.
double MeanOf(std::span<const double> values);

struct Spread {
  double mean = 0;
  double deviation = 0;  ///< √(Σ (x − mean)² / (n − 1)); 0 for one value
};

/// Mean and standard deviation; zeros for no values.
Spread ComputeSpread(std::span<const double> values);

}  // namespace heed

#endif  // HEED_METRICS_SPREAD_H_
