// Synthetic graphs with planted node classes.
#ifndef HEED_COURSE_DATA_PLANTED_GRAPH_H_
#define HEED_COURSE_DATA_PLANTED_GRAPH_H_

#include <cstdint>

#include "heed/data/graph.h"

namespace heed {

/// Features that all ads have, and no other node.
inline constexpr int64_t kAdMarks = 3;

struct PlantedGraphOptions {
  int64_t nodes = 600;
  int64_t edges = 1800;
  int64_t classes = 4;
  int64_t features = 120;         // size of the feature vocabulary
  int64_t features_of_node = 12;  // features of each node
  double within = 0.85;           // share of edges within a class
  double telling = 0.3;      // chance that a feature is of its node's class
  int64_t ads = 0;           // the last of the nodes, which are of class "ad"
  int64_t ads_of_node = 12;  // ads that each other node links to
  uint64_t seed = 1;
};

/// Makes a graph in which a node's own features say little about its class, and
/// the features of its neighbours more. Features f with f mod classes = c
/// belong to class c; other features of a node are drawn from all. Edges are
/// distinct, without loops. Classes are called A, B, C ...
///
/// Ads mislead: each has features of one random class, and all other nodes link
/// to random ads. The features from number `features` on mark ads. Throws:
/// ConfigError if the graph has no room for the edges.
NodeGraph PlantedGraph(const PlantedGraphOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_DATA_PLANTED_GRAPH_H_
