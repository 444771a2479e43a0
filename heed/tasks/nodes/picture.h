// Layout of a graph in the plane.
#ifndef HEED_TASKS_NODES_PICTURE_H_
#define HEED_TASKS_NODES_PICTURE_H_

#include <array>
#include <vector>

#include "heed/base/cancellation.h"
#include "heed/data/graph.h"
#include "heed/explain/payloads.h"
#include "heed/models/node_classifier.h"

namespace heed::nodes {

struct NodesPicture {
  /// Position of each node, by t-SNE of the first layer's output. Units: 0 to
  /// 1, three digits
  std::vector<std::array<double, 2>> places;
  /// Edges. Their width is the attention of the first layer along them, summed
  /// over both directions and all heads and divided by the largest sum.
  std::vector<GraphPayload::Edge> edges;
};

/// Computes the layout. `input`: the network's input for `graph`. Throws:
/// Cancelled.
NodesPicture PictureOf(const NodeClassifier& network, const GraphInput& input,
                       const NodeGraph& graph,
                       const Cancellation* cancellation);

}  // namespace heed::nodes

#endif  // HEED_TASKS_NODES_PICTURE_H_
