// Attention and attributions in a form that can be compared.
#ifndef HEED_RENDER_SHADINGS_H_
#define HEED_RENDER_SHADINGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

/// Attention or a method. Shapes: values [targets, items], −1 to 1.
struct Shading {
  std::string title;  ///< "gradient × input"
  std::string axis;   ///< whose items they are
  std::vector<size_t> targets;
  std::vector<float> values;
  std::string caption = {};  ///< how far it agrees with attention, if known
};

/// The attention that speaks for targets, if any, of each axis that it goes to,
/// divided by `full`, as ViewOptions (1: as it is), and each attribution with
/// the scores of a target divided by their largest magnitude.
std::vector<Shading> ShadingsOf(const ExplanationSegment& segment,
                                double full = 1);

/// "gradient × input" for "gradient_x_input".
std::string MethodName(std::string_view method);

}  // namespace heed

#endif  // HEED_RENDER_SHADINGS_H_
