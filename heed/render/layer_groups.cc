#include "heed/render/layer_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/errors.h"

namespace heed {
namespace {

bool LookAlike(const LayerAttention& a, const LayerAttention& b) {
  return a.queries == b.queries && a.keys == b.keys &&
         a.query_size == b.query_size && a.key_size == b.key_size;
}

std::string GroupTitle(const LayerAttention& layer, bool has_target) {
  const bool from_target = layer.queries == TokenSide::kTarget;
  const bool to_target = layer.keys == TokenSide::kTarget;
  if (from_target && to_target) return "Decoder self-attention";
  if (from_target) return "Attention of the target to the source";
  if (to_target) return "Attention of the source to the target";
  return has_target ? "Encoder self-attention" : "Self-attention";
}

}  // namespace

std::vector<LayerGroup> GroupsOf(const Explanation& explanation) {
  const bool has_target =
      std::ranges::any_of(explanation.layers, [](const LayerAttention& layer) {
        return layer.queries == TokenSide::kTarget;
      });
  std::vector<LayerGroup> groups;
  for (size_t i = 0; i < explanation.layers.size(); ++i) {
    const LayerAttention& layer = explanation.layers[i];
    const auto group = std::ranges::find_if(groups, [&](const LayerGroup& g) {
      return LookAlike(explanation.layers[g.layers.front()], layer);
    });
    if (group == groups.end()) {
      groups.push_back({GroupTitle(layer, has_target), {i}});
    } else {
      group->layers.push_back(i);
    }
  }
  return groups;
}

void CheckExplanation(const Explanation& explanation) {
  for (const LayerAttention& layer : explanation.layers) {
    const size_t queries = explanation.tokens(layer.queries).size();
    const size_t keys = explanation.tokens(layer.keys).size();
    if (layer.query_size == static_cast<int64_t>(queries) &&
        layer.key_size == static_cast<int64_t>(keys) && layer.heads >= 0 &&
        layer.weights.size() ==
            static_cast<size_t>(layer.heads) * queries * keys) {
      continue;
    }
    throw ShapeError(fmt::format(
        "explanation: {} has {} weights, {} heads, {}×{} positions, but its "
        "sides have {} and {} tokens",
        layer.layer, layer.weights.size(), layer.heads, layer.query_size,
        layer.key_size, queries, keys));
  }
  const size_t targets = explanation.target.size();
  for (const Attribution& attribution : explanation.attributions) {
    if (attribution.scores.size() == targets * explanation.source.size()) {
      continue;
    }
    throw ShapeError(fmt::format(
        "explanation: {} has {} scores for {} targets and {} source tokens",
        attribution.method, attribution.scores.size(), targets,
        explanation.source.size()));
  }
}

}  // namespace heed
