#include "heed/tasks/nodes/local_graph.h"

#include <algorithm>
#include <unordered_map>

#include "heed/base/at.h"

namespace heed::nodes {
namespace {

std::span<const int32_t> ListOf(const RowLists& lists, int32_t row) {
  const auto r = static_cast<size_t>(row);
  return std::span(lists.columns)
      .subspan(static_cast<size_t>(lists.offsets[r]),
               static_cast<size_t>(lists.offsets[r + 1] - lists.offsets[r]));
}

}  // namespace

LocalGraph AroundNode(const NodeGraph& graph, const RowLists& neighbours,
                      int32_t node, int64_t hops, int64_t max) {
  LocalGraph local;
  std::unordered_map<int32_t, int32_t> places = {{node, 0}};
  local.nodes = {node};
  local.hops = {0};
  size_t begin = 0;
  for (int32_t hop = 1; hop <= hops; ++hop) {
    const size_t end = local.nodes.size();
    std::vector<int32_t> fresh;
    for (; begin < end; ++begin) {
      for (const int32_t other : ListOf(neighbours, local.nodes[begin])) {
        if (places.emplace(other, -1).second) fresh.push_back(other);
      }
    }
    std::ranges::sort(fresh);
    for (const int32_t other : fresh) {
      if (std::ssize(local.nodes) == max) {
        ++local.left_out;
        continue;
      }
      places[other] = static_cast<int32_t>(local.nodes.size());
      local.nodes.push_back(other);
      local.hops.push_back(hop);
    }
  }
  NodeGraph& own = local.graph;
  own.classes = graph.classes;
  own.feature_count = graph.feature_count;
  for (size_t i = 0; i < local.nodes.size(); ++i) {
    const int32_t whole = local.nodes[i];
    const auto w = static_cast<size_t>(whole);
    for (int32_t e = graph.features.offsets[w];
         e < graph.features.offsets[w + 1]; ++e) {
      own.features.columns.push_back(At(graph.features.columns, e));
      own.values.push_back(At(graph.values, e));
    }
    own.features.EndRow();
    own.labels.push_back(graph.labels[w]);
    local.degrees.push_back(
        static_cast<int32_t>(ListOf(neighbours, whole).size()));
    for (const int32_t other : ListOf(neighbours, whole)) {
      const auto place = places.find(other);
      if (place == places.end() || place->second <= static_cast<int32_t>(i)) {
        continue;
      }
      own.edges.emplace_back(static_cast<int32_t>(i), place->second);
    }
  }
  std::ranges::sort(own.edges);
  return local;
}

}  // namespace heed::nodes
