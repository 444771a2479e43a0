// Confidence intervals of means.
#ifndef HEED_METRICS_CONFIDENCE_H_
#define HEED_METRICS_CONFIDENCE_H_

#include <span>

namespace heed {

/// A mean with the half-width of its confidence interval.
struct MeanInterval {
  double mean = 0;
  double half_width = 0;  ///< infinite for fewer than two numbers
  double p_value = 1;     ///< of a true mean of 0, by the two-sided t-test

  bool Contains(double value) const {
    return value >= mean - half_width && value <= mean + half_width;
  }
};

/// Mean of independent numbers with a confidence interval by Student's
/// t-distribution. For differences of two models on the same examples, it is
/// the interval of a paired test. Range: 0 < confidence < 1.
MeanInterval ConfidenceOfMean(std::span<const double> numbers,
                              double confidence = 0.95);

}  // namespace heed

#endif  // HEED_METRICS_CONFIDENCE_H_
