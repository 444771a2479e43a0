// The layers of an explanation by what looks at what.
#ifndef HEED_RENDER_LAYER_GROUPS_H_
#define HEED_RENDER_LAYER_GROUPS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"

namespace heed {

struct LayerGroup {
  std::string title;  ///< "Cross-attention"
  std::vector<size_t> layers;
};

/// In the order of computation: layers whose queries and keys have the same
/// sides and numbers.
std::vector<LayerGroup> GroupsOf(const Explanation& explanation);

/// Throws: ShapeError unless every layer has a weight per head and pair of its
/// tokens, every attribution a score per target and source token, and the
/// alignment a row per target.
void CheckExplanation(const Explanation& explanation);

}  // namespace heed

#endif  // HEED_RENDER_LAYER_GROUPS_H_
