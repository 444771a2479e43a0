#include "heed/render/saliency_svg.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "heed/render/heatmap_svg.h"
#include "heed/render/layer_groups.h"
#include "heed/render/shadings.h"
#include "heed/render/words_svg.h"

namespace heed {
namespace {

constexpr size_t kMostAsText = 4;  // targets that are shown as shaded text
constexpr double kTextWidth = 540;
constexpr double kNumberFrom = 0.1;

Drawing AsText(const Explanation& explanation, const Shading& shading) {
  std::vector<Drawing> parts = {DrawHeading(shading.title, 2)};
  if (!shading.caption.empty()) {
    parts.push_back(DrawHeading(shading.caption, 3));
  }
  const size_t columns = explanation.source.size();
  for (size_t t = 0; t < explanation.target.size(); ++t) {
    const auto row = std::span(shading.values).subspan(t * columns, columns);
    parts.push_back(DrawHeading("→ " + explanation.target[t], 3));
    parts.push_back(DrawShadedWords(explanation.source, row, kTextWidth,
                                    kNumberFrom, columns));
  }
  return StackDrawings(parts, 6);
}

Drawing AsHeatmap(const Explanation& explanation, const Shading& shading) {
  return DrawHeatmap(
      {explanation.source, explanation.target, shading.values, shading.title},
      {.with_sign = true, .caption = shading.caption});
}

}  // namespace

Drawing DrawSaliency(const Explanation& explanation) {
  CheckExplanation(explanation);
  const bool as_text = explanation.target.size() <= kMostAsText;
  std::vector<Drawing> shadings;
  for (const Shading& shading : ShadingsOf(explanation)) {
    shadings.push_back(as_text ? AsText(explanation, shading)
                               : AsHeatmap(explanation, shading));
  }
  Drawing flow = FlowDrawings(shadings, kPictureWidth, kPictureGap);
  if (explanation.text.empty()) return flow;
  const std::vector<Drawing> parts = {
      DrawHeading(fmt::format("{} → {}", explanation.text, explanation.answer),
                  1),
      flow};
  return StackDrawings(parts, 14);
}

}  // namespace heed
