// View of graphs: nodes in a plane, edges as wide as their attention, and the
// attention of one node, head by head.
#ifndef HEED_RENDER_GRAPH_VIEW_H_
#define HEED_RENDER_GRAPH_VIEW_H_

#include "heed/explain/payloads.h"
#include "heed/render/view.h"

namespace heed {

/// Graph payload of an axis. Throws: ShapeError that names the axis if it is
/// missing or inconsistent.
const GraphPayload& GraphOf(const Axis& axis);

/// Accepts segments with an axis of kind "graph".
ExplanationView GraphView();

}  // namespace heed

#endif  // HEED_RENDER_GRAPH_VIEW_H_
