// Parameters of a model on the line between two of its states.
#ifndef HEED_COURSE_PARAMETER_LINE_H_
#define HEED_COURSE_PARAMETER_LINE_H_

#include <vector>

#include "heed/autograd/parameter_set.h"

namespace heed {

/// The numbers of all parameters.
std::vector<Tensor> ParametersOf(const ParameterSet& parameters);

/// Puts (1 − at) · from + at · to into the parameters. Shapes: as those.
/// Paper: Goodfellow et al. 2014, arXiv:1412.6544.
void PutBetween(ParameterSet& parameters, const std::vector<Tensor>& from,
                const std::vector<Tensor>& to, double at);

}  // namespace heed

#endif  // HEED_COURSE_PARAMETER_LINE_H_
