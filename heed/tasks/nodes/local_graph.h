// What is near a node: the part of a graph that its class can depend on.
#ifndef HEED_TASKS_NODES_LOCAL_GRAPH_H_
#define HEED_TASKS_NODES_LOCAL_GRAPH_H_

#include <cstdint>
#include <vector>

#include "heed/data/graph.h"

namespace heed::nodes {

/// Node i of `graph` is node nodes[i] of the whole, hops[i] edges away from the
/// first.
struct LocalGraph {
  std::vector<int32_t> nodes;
  std::vector<int32_t> hops;
  NodeGraph graph;
  /// Neighbours of each node in the whole graph, itself among them.
  std::vector<int32_t> degrees;
  int64_t left_out = 0;  // nodes as near as these, for which there is no room
};

/// The nodes up to `hops` edges away from a node, which comes first, then the
/// nearer ones, of these those with lower numbers; `most` of them. `neighbours`
/// are those of the graph.
LocalGraph AroundNode(const NodeGraph& graph, const RowLists& neighbours,
                      int32_t node, int64_t hops, int64_t most);

}  // namespace heed::nodes

#endif  // HEED_TASKS_NODES_LOCAL_GRAPH_H_
