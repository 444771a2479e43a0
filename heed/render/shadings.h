// Attention and attributions in a comparable form.
#ifndef HEED_RENDER_SHADINGS_H_
#define HEED_RENDER_SHADINGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

/// Attention, or attributions of a method. Shapes: values [targets, items], −1
/// to 1.
struct Shading {
  std::string title;  ///< "gradient × input"
  std::string axis;   ///< axis of the items
  std::vector<size_t> targets;
  std::vector<float> values;
  std::string caption = {};  ///< agreement with attention, if known
};

/// The attention of the targets, if any, for each axis attended to, divided by
/// `full` (see ViewOptions; 1: unchanged), and each attribution, with the
/// scores of a target divided by their largest magnitude.
std::vector<Shading> ShadingsOf(const ExplanationSegment& segment,
                                double full = 1);

/// Display name of a method: "gradient × input" for "gradient_x_input".
std::string MethodName(std::string_view method);

}  // namespace heed

#endif  // HEED_RENDER_SHADINGS_H_
