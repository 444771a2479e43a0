// Interpolation between two states of a model's parameters.
#ifndef HEED_COURSE_PARAMETER_LINE_H_
#define HEED_COURSE_PARAMETER_LINE_H_

#include <vector>

#include "heed/autograd/parameter_set.h"

namespace heed {

/// Returns copies of all parameters.
std::vector<Tensor> ParametersOf(const ParameterSet& parameters);

/// Sets the parameters to (1 − at) · from + at · to. Shapes: those of the
/// parameters.
/// Paper: Goodfellow et al. 2014, arXiv:1412.6544.
void PutBetween(ParameterSet& parameters, const std::vector<Tensor>& from,
                const std::vector<Tensor>& to, double at);

}  // namespace heed

#endif  // HEED_COURSE_PARAMETER_LINE_H_
