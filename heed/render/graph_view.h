// Graphs: nodes in a plane, edges as wide as the attention along them, and what
// one node attends to, head by head.
#ifndef HEED_RENDER_GRAPH_VIEW_H_
#define HEED_RENDER_GRAPH_VIEW_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/render/view.h"

namespace heed {

/// The payload of an axis of kind "graph", as docs/explain.md describes it.
struct GraphPayload {
  struct Edge {
    int64_t from = 0;
    int64_t to = 0;
    double width = 0;  ///< 1: the widest
  };

  std::vector<std::string> classes;
  std::vector<int64_t> nodes;      ///< of each item: its place in the picture
  std::vector<int64_t> labels;     ///< of each item: its class; -1: not known
  std::vector<int64_t> predicted;  ///< of each node of the picture
  std::vector<std::array<double, 2>> places;  ///< likewise. Units: 0 to 1
  std::vector<Edge> edges;                    ///< between nodes of the picture

  /// Throws: ShapeError, naming the axis, if it has not these parts or they do
  /// not fit.
  static GraphPayload Of(const Axis& axis);
};

/// Accepts segments with an axis of kind "graph".
ExplanationView GraphView();

}  // namespace heed

#endif  // HEED_RENDER_GRAPH_VIEW_H_
