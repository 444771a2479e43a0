// Neighbourhood of a node: the part of a graph that its class can depend on.
#ifndef HEED_TASKS_NODES_LOCAL_GRAPH_H_
#define HEED_TASKS_NODES_LOCAL_GRAPH_H_

#include <cstdint>
#include <vector>

#include "heed/data/graph.h"

namespace heed::nodes {

/// A subgraph. Node i of `graph` is node nodes[i] of the whole graph, hops[i]
/// edges away from the first node.
struct LocalGraph {
  std::vector<int32_t> nodes;
  std::vector<int32_t> hops;
  NodeGraph graph;
  /// Number of neighbours of each node in the whole graph, including itself.
  std::vector<int32_t> degrees;
  int64_t left_out = 0;  // nodes within `hops` beyond the maximum size
};

/// Returns the subgraph of at most `max` nodes that are up to `hops` edges
/// away from a node. That node comes first, then nodes by distance and number.
/// `neighbours`: adjacency lists of the graph.
LocalGraph AroundNode(const NodeGraph& graph, const RowLists& neighbours,
                      int32_t node, int64_t hops, int64_t max);

}  // namespace heed::nodes

#endif  // HEED_TASKS_NODES_LOCAL_GRAPH_H_
