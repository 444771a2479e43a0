// Variance of gradient estimates from samples.
#ifndef HEED_COURSE_GRADIENT_VARIANCE_H_
#define HEED_COURSE_GRADIENT_VARIANCE_H_

#include <functional>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"

namespace heed {

/// Returns the concatenated gradients of the parameters whose names `counts`
/// accepts, and clears the gradients of all parameters.
std::vector<double> TakeGradient(
    const ParameterSet& parameters,
    const std::function<bool(const std::string&)>& counts);

/// Variance of vectors that are added one by one, summed over their elements.
class GradientVariance {
 public:
  /// Adds a vector. All vectors have the same size.
  void Add(const std::vector<double>& gradient);
  /// Returns the total variance. Needs two vectors or more.
  double Total() const;

 private:
  std::vector<double> sum_, squares_;
  double count_ = 0;
};

}  // namespace heed

#endif  // HEED_COURSE_GRADIENT_VARIANCE_H_
