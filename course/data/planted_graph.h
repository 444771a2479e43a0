// Synthetic graphs with planted node classes.
#ifndef HEED_COURSE_DATA_PLANTED_GRAPH_H_
#define HEED_COURSE_DATA_PLANTED_GRAPH_H_

#include <cstdint>

#include "heed/data/graph.h"

namespace heed {

struct PlantedGraphOptions {
  int64_t nodes = 600;
  int64_t edges = 1800;
  int64_t classes = 4;
  int64_t features = 120;         // size of the feature vocabulary
  int64_t features_of_node = 12;  // features of each node
  double within = 0.85;           // share of edges within a class
  double telling = 0.3;  // chance that a feature is of its node's class
  uint64_t seed = 1;
};

/// Makes a graph in which a node's own features say little about its class, and
/// the features of its neighbours more. Features f with f mod classes = c
/// belong to class c; other features of a node are drawn from all. Edges are
/// distinct, without loops. Classes are called A, B, C ... Throws: ConfigError
/// if the graph has no room for the edges.
NodeGraph PlantedGraph(const PlantedGraphOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_DATA_PLANTED_GRAPH_H_
