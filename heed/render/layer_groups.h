// The maps of an explanation by what attends to what.
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

/// In the order of computation: maps of the same axes.
std::vector<LayerGroup> GroupsOf(const ExplanationSegment& segment);

}  // namespace heed

#endif  // HEED_RENDER_LAYER_GROUPS_H_
