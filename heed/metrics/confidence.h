// How sure a mean of measurements is.
#ifndef HEED_METRICS_CONFIDENCE_H_
#define HEED_METRICS_CONFIDENCE_H_

#include <span>

namespace heed {

/// A mean, and how far the interval reaches on both sides of it.
struct MeanInterval {
  double mean = 0;
  double half_width = 0;  ///< infinity of fewer than two numbers

  bool Contains(double value) const {
    return value >= mean - half_width && value <= mean + half_width;
  }
};

/// The mean of independent numbers with its confidence interval by Student's
/// distribution. Of differences of two models on the same examples it is that
/// of a paired test. Range: 0 < confidence < 1.
MeanInterval ConfidenceOfMean(std::span<const double> numbers,
                              double confidence = 0.95);

}  // namespace heed

#endif  // HEED_METRICS_CONFIDENCE_H_
