// Maps of an explanation grouped by their axes.
#ifndef HEED_RENDER_LAYER_GROUPS_H_
#define HEED_RENDER_LAYER_GROUPS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

struct LayerGroup {
  std::string title;  ///< "Translation → Source"
  std::vector<size_t> layers;
};

/// Groups of maps with the same axes, in the order of computation.
std::vector<LayerGroup> GroupsOf(const ExplanationSegment& segment);

}  // namespace heed

#endif  // HEED_RENDER_LAYER_GROUPS_H_
