// How far back gradients reach: why plain recurrences forget.
#ifndef HEED_COURSE_GRADIENT_REACH_H_
#define HEED_COURSE_GRADIENT_REACH_H_

#include <vector>

#include "heed/models/autocomplete.h"

namespace heed {

/// ‖∂h_T / ∂x_{T−k}‖_F for k = 0, 1, ..., T − 1, in the mean of the texts: how
/// strongly the last state of the top layer depends on the embedded character k
/// steps before. Where it falls by a constant factor at each step, what is far
/// away cannot be learned. Shapes: ids i32 [B, T]; result [T].
/// Throws: ShapeError.
/// Paper: Hochreiter 1991; Bengio et al. 1994; Pascanu et al. 2013,
/// arXiv:1211.5063.
std::vector<double> GradientReach(const Autocomplete& model, const Tensor& ids);

}  // namespace heed

#endif  // HEED_COURSE_GRADIENT_REACH_H_
