// Graphs: nodes in a plane, edges as wide as the attention along them, and what
// one node attends to, head by head.
#ifndef HEED_RENDER_GRAPH_VIEW_H_
#define HEED_RENDER_GRAPH_VIEW_H_

#include "heed/explain/payloads.h"
#include "heed/render/view.h"

namespace heed {

/// The graph of an axis. Throws: ShapeError, naming the axis, if it has none or
/// its parts do not fit.
const GraphPayload& GraphOf(const Axis& axis);

/// Accepts segments with an axis of kind "graph".
ExplanationView GraphView();

}  // namespace heed

#endif  // HEED_RENDER_GRAPH_VIEW_H_
