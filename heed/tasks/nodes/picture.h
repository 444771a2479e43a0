// A graph in a plane.
#ifndef HEED_TASKS_NODES_PICTURE_H_
#define HEED_TASKS_NODES_PICTURE_H_

#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/base/cancellation.h"
#include "heed/data/graph.h"
#include "heed/models/node_classifier.h"

namespace heed {

struct NodesPicture {
  /// Of each node, by t-SNE of what the first layer gives. Units: 0 to 1, three
  /// digits
  std::vector<std::array<double, 2>> places;
  /// [from, to, width] of each edge: the attention of the first layer along it,
  /// in both directions and of all heads, by the largest.
  nlohmann::ordered_json edges;
};

/// `input` is what the network reads of `graph`. Throws: Cancelled.
NodesPicture PictureOf(const NodeClassifier& network, const GraphInput& input,
                       const NodeGraph& graph,
                       const Cancellation* cancellation);

}  // namespace heed

#endif  // HEED_TASKS_NODES_PICTURE_H_
