// Graphs with planted classes: examples that need no files.
#ifndef HEED_COURSE_DATA_PLANTED_GRAPH_H_
#define HEED_COURSE_DATA_PLANTED_GRAPH_H_

#include <cstdint>

#include "heed/data/graph.h"

namespace heed {

struct PlantedGraphOptions {
  int64_t nodes = 600;
  int64_t edges = 1800;
  int64_t classes = 4;
  int64_t features = 120;         // that a node may have
  int64_t features_of_node = 12;  // that it has
  double within = 0.85;           // share of edges that stay in a class
  double telling = 0.3;           // chance that a feature is its class's own
  uint64_t seed = 1;
};

/// A graph in which a node's features say little of its class, and those of its
/// neighbours more: class c has the features f with f mod classes = c as its
/// own; others are drawn from all. Edges are different, none is a loop. Classes
/// are called A, B, C ... Throws: ConfigError if so many edges do not fit.
NodeGraph PlantedGraph(const PlantedGraphOptions& options);

}  // namespace heed

#endif  // HEED_COURSE_DATA_PLANTED_GRAPH_H_
