// Gradient norms by distance: why plain recurrent networks forget.
#ifndef HEED_COURSE_GRADIENT_REACH_H_
#define HEED_COURSE_GRADIENT_REACH_H_

#include <vector>

#include "heed/models/autocomplete.h"

namespace heed {

/// Returns ‖∂h_T / ∂x_{T−k}‖_F for k = 0, 1, ..., T − 1, averaged over the
/// texts: the influence of the embedded character k steps before on the last
/// state of the top layer. If the norm decays exponentially, distant
/// dependencies cannot be learned. Shapes: ids i32 [B, T]; result [T].
/// Throws: ShapeError.
/// Paper: Hochreiter 1991; Bengio et al. 1994; Pascanu et al. 2013,
/// arXiv:1211.5063.
std::vector<double> GradientReach(const Autocomplete& model, const Tensor& ids);

}  // namespace heed

#endif  // HEED_COURSE_GRADIENT_REACH_H_
