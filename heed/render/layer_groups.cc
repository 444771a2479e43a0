#include "heed/render/layer_groups.h"

#include <fmt/format.h>

#include <algorithm>

namespace heed {

std::vector<LayerGroup> GroupsOf(const ExplanationSegment& segment) {
  std::vector<LayerGroup> groups;
  for (size_t i = 0; i < segment.maps.size(); ++i) {
    const AttentionMap& map = segment.maps[i];
    const auto group = std::ranges::find_if(groups, [&](const LayerGroup& g) {
      const AttentionMap& first = segment.maps[g.layers.front()];
      return first.query == map.query && first.key == map.key;
    });
    if (group != groups.end()) {
      group->layers.push_back(i);
      continue;
    }
    const std::string& key = segment.axis(map.key).label;
    groups.push_back({map.within_axis()
                          ? fmt::format("{}: attention to itself", key)
                          : fmt::format("{} attends to {}",
                                        segment.axis(map.query).label, key),
                      {i}});
  }
  return groups;
}

}  // namespace heed
