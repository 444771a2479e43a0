#include "course/data/planted_graph.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

int64_t Below(Rng& rng, int64_t n) {
  return static_cast<int64_t>(rng.Below(static_cast<uint64_t>(n)));
}

/// Returns a random number below n that is `rest` mod `classes`.
int64_t BelowOfClass(Rng& rng, int64_t n, int64_t classes, int64_t rest) {
  return Below(rng, (n - rest + classes - 1) / classes) * classes + rest;
}

}  // namespace

NodeGraph PlantedGraph(const PlantedGraphOptions& o) {
  if (o.classes < 2 || o.classes > 26 || o.nodes < 2 * o.classes ||
      o.features < o.classes || o.features_of_node < 1 ||
      2 * o.features_of_node > o.features ||
      o.edges > o.nodes * (o.nodes / o.classes - 1) / 4) {
    throw ConfigError(
        "a graph of {} nodes with {} edges, {} classes and {} of {} features "
        "cannot be planted; take more nodes or features",
        o.nodes, o.edges, o.classes, o.features_of_node, o.features);
  }
  Rng rng(o.seed);
  NodeGraph graph;
  graph.feature_count = o.features;
  for (int64_t c = 0; c < o.classes; ++c) {
    graph.classes.emplace_back(1, static_cast<char>('A' + c));
  }
  for (int64_t node = 0; node < o.nodes; ++node) {
    const int64_t c = node % o.classes;
    graph.labels.push_back(static_cast<int32_t>(c));
    std::set<int32_t> own;
    while (std::ssize(own) < o.features_of_node) {
      const bool tells = rng.Uniform() < o.telling;
      own.insert(static_cast<int32_t>(
          tells ? BelowOfClass(rng, o.features, o.classes, c)
                : Below(rng, o.features)));
    }
    graph.features.columns.insert(graph.features.columns.end(), own.begin(),
                                  own.end());
    graph.features.EndRow();
  }
  graph.values.assign(graph.features.columns.size(), 1);
  std::unordered_set<int64_t> known;
  while (std::ssize(graph.edges) < o.edges) {
    const int64_t u = Below(rng, o.nodes);
    const int64_t v = rng.Uniform() < o.within
                          ? BelowOfClass(rng, o.nodes, o.classes, u % o.classes)
                          : Below(rng, o.nodes);
    if (u == v ||
        !known.insert(std::min(u, v) * o.nodes + std::max(u, v)).second) {
      continue;
    }
    graph.edges.emplace_back(static_cast<int32_t>(std::min(u, v)),
                             static_cast<int32_t>(std::max(u, v)));
  }
  std::ranges::sort(graph.edges);
  return graph;
}

}  // namespace heed
