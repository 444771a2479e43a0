// Comparison of gradients with finite differences, in f64.
#ifndef HEED_AUTOGRAD_GRADIENT_CHECK_H_
#define HEED_AUTOGRAD_GRADIENT_CHECK_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/parameter.h"
#include "heed/autograd/tape.h"

namespace heed {

struct GradientCheckResult {
  /// Largest |analytic − numeric| / max(1, |analytic|, |numeric|).
  double worst = 0;
  /// Input and element with the largest error: "input 1, element 7: 0.5 against
  /// 0.4".
  std::string where;
};

/// Checks d(Σ w·f(inputs))/d(inputs) for fixed random weights w at up to
/// `samples` elements of every input, by central differences. Inputs are f64.
/// Throws: NumericError if a value is not finite.
GradientCheckResult CheckGradient(
    const std::function<Var(std::span<const Var>)>& f,
    std::vector<Tensor> inputs, int samples = 64);

/// Checks the gradients of the parameters of `loss`, which returns a scalar and
/// is called with and without a tape. Throws: NumericError if a value is not
/// finite.
GradientCheckResult CheckParameterGradient(
    const std::function<Var(Tape*)>& loss,
    std::span<Parameter* const> parameters, int samples = 16);

}  // namespace heed

#endif  // HEED_AUTOGRAD_GRADIENT_CHECK_H_
