// What the heads of a model do over many texts, in SVG.
#ifndef HEED_RENDER_HEAD_STATISTICS_SVG_H_
#define HEED_RENDER_HEAD_STATISTICS_SVG_H_

#include <span>
#include <string>

#include "heed/explain/explanation.h"
#include "heed/explain/head_importance.h"
#include "heed/explain/head_statistics.h"
#include "heed/render/drawing.h"

namespace heed {

/// Entropy, distance and, unless there is none, importance as tables of layers
/// and heads, each number on a ground as dark as it is large. Distances of
/// attention from one side to itself (tokens) and to another (parts of the
/// length) stand in tables of their own.
Drawing DrawHeadStatistics(std::span<const LayerStatistics> layers,
                           std::span<const LayerImportance> importance);

/// The same as a document.
std::string HeadStatisticsSvg(std::span<const LayerStatistics> layers,
                              std::span<const LayerImportance> importance);

}  // namespace heed

#endif  // HEED_RENDER_HEAD_STATISTICS_SVG_H_
