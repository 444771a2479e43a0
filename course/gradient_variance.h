// How noisy gradients are that are estimated from samples.
#ifndef HEED_COURSE_GRADIENT_VARIANCE_H_
#define HEED_COURSE_GRADIENT_VARIANCE_H_

#include <functional>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"

namespace heed {

/// The gradients of the parameters whose names `counts` accepts, one after the
/// other; those of all parameters are cleared.
std::vector<double> TakeGradient(
    const ParameterSet& parameters,
    const std::function<bool(const std::string&)>& counts);

/// The variance of vectors that are given one by one, summed over their
/// elements.
class GradientVariance {
 public:
  /// As many elements as those before.
  void Add(const std::vector<double>& gradient);
  /// Of two vectors or more.
  double Total() const;

 private:
  std::vector<double> sum_, squares_;
  double count_ = 0;
};

}  // namespace heed

#endif  // HEED_COURSE_GRADIENT_VARIANCE_H_
