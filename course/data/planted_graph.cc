#include "course/data/planted_graph.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <vector>

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

/// Adds the features of a node: `marks` that mark ads, and different others,
/// each of class `c` with chance `telling`.
void AddFeatures(const PlantedGraphOptions& o, int64_t c, double telling,
                 int64_t marks, Rng& rng, NodeGraph& graph) {
  std::set<int32_t> own;
  while (std::ssize(own) < o.features_of_node - marks) {
    const bool tells = rng.Uniform() < telling;
    own.insert(
        static_cast<int32_t>(tells ? BelowOfClass(rng, o.features, o.classes, c)
                                   : Below(rng, o.features)));
  }
  for (int64_t mark = 0; mark < marks; ++mark) {
    own.insert(static_cast<int32_t>(o.features + mark));
  }
  std::vector<int32_t>& columns = graph.features.columns;
  columns.insert(columns.end(), own.begin(), own.end());
  graph.features.EndRow();
}

void AddNodes(const PlantedGraphOptions& o, Rng& rng, NodeGraph& graph) {
  graph.feature_count = o.features + (o.ads > 0 ? kAdMarks : 0);
  for (int64_t c = 0; c < o.classes; ++c) {
    graph.classes.emplace_back(1, static_cast<char>('A' + c));
  }
  if (o.ads > 0) graph.classes.emplace_back("ad");
  for (int64_t node = 0; node < o.nodes; ++node) {
    const bool ad = node >= o.nodes - o.ads;
    const int64_t c = ad ? Below(rng, o.classes) : node % o.classes;
    graph.labels.push_back(static_cast<int32_t>(ad ? o.classes : c));
    AddFeatures(o, c, ad ? 1 : o.telling, ad ? kAdMarks : 0, rng, graph);
  }
  graph.values.assign(graph.features.columns.size(), 1);
}

void AddEdges(const PlantedGraphOptions& o, Rng& rng, NodeGraph& graph) {
  const int64_t others = o.nodes - o.ads;
  std::unordered_set<int64_t> known;
  const auto add = [&](int64_t u, int64_t v) {
    if (u == v ||
        !known.insert(std::min(u, v) * o.nodes + std::max(u, v)).second) {
      return false;
    }
    graph.edges.emplace_back(static_cast<int32_t>(std::min(u, v)),
                             static_cast<int32_t>(std::max(u, v)));
    return true;
  };
  while (std::ssize(graph.edges) < o.edges) {
    const int64_t u = Below(rng, others);
    add(u, rng.Uniform() < o.within
               ? BelowOfClass(rng, others, o.classes, u % o.classes)
               : Below(rng, others));
  }
  for (int64_t node = 0; o.ads > 0 && node < others; ++node) {
    for (int64_t linked = 0; linked < o.ads_of_node;) {
      if (add(node, others + Below(rng, o.ads))) ++linked;
    }
  }
  std::ranges::sort(graph.edges);
}

}  // namespace

NodeGraph PlantedGraph(const PlantedGraphOptions& o) {
  const int64_t others = o.nodes - o.ads;
  if (o.classes < 2 || o.classes > 26 || o.ads < 0 || others < 2 * o.classes ||
      o.features < o.classes || o.features_of_node < 1 ||
      2 * o.features_of_node > o.features ||
      o.edges > others * (others / o.classes - 1) / 4) {
    throw ConfigError(
        "a graph of {} nodes with {} edges, {} classes and {} of {} features "
        "cannot be planted; take more nodes or features",
        others, o.edges, o.classes, o.features_of_node, o.features);
  }
  if (o.ads > 0 && (2 * o.ads_of_node > o.ads || o.ads_of_node < 0 ||
                    o.features_of_node <= kAdMarks ||
                    o.features_of_node > o.features / o.classes)) {
    throw ConfigError(
        "{} of {} ads for each node cannot be planted; take fewer of each node "
        "or more nodes",
        o.ads_of_node, o.ads);
  }
  Rng rng(o.seed);
  NodeGraph graph;
  AddNodes(o, rng, graph);
  AddEdges(o, rng, graph);
  return graph;
}

}  // namespace heed
