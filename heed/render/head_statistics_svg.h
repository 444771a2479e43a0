// Tables of head statistics over many texts, in SVG.
#ifndef HEED_RENDER_HEAD_STATISTICS_SVG_H_
#define HEED_RENDER_HEAD_STATISTICS_SVG_H_

#include <span>
#include <string>

#include "heed/explain/explanation.h"
#include "heed/explain/head_importance.h"
#include "heed/explain/head_statistics.h"
#include "heed/render/drawing.h"

namespace heed {

/// Tables of layers and heads with entropy, distance and, if given, importance;
/// darker cells have larger numbers. Distances within an axis (in tokens) and
/// between axes (shares of the length) are separate tables.
Drawing DrawHeadStatistics(std::span<const LayerStatistics> layers,
                           std::span<const LayerImportance> importance);

/// Head statistics as an SVG document.
std::string HeadStatisticsSvg(std::span<const LayerStatistics> layers,
                              std::span<const LayerImportance> importance);

}  // namespace heed

#endif  // HEED_RENDER_HEAD_STATISTICS_SVG_H_
