#include "heed/explain/saliency_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/explain/heatmap_svg.h"
#include "heed/explain/layer_groups.h"
#include "heed/explain/markup.h"
#include "heed/explain/words_svg.h"

namespace heed {
namespace {

constexpr size_t kMostAsText = 4;  // targets that are shown as shaded text
constexpr double kTextWidth = 540;
constexpr double kLeastNumber = 0.1;

// A method, attention too: values of each target within −1 and 1.
struct Shading {
  std::string title;
  std::string caption;
  std::vector<float> values;
};

std::vector<float> DividedByLargest(std::span<const float> scores,
                                    size_t columns) {
  std::vector<float> values(scores.begin(), scores.end());
  for (size_t begin = 0; begin < values.size(); begin += columns) {
    const auto row = std::span(values).subspan(begin, columns);
    float largest = 0;
    for (float v : row) {
      if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    }
    for (float& v : row) v = largest > 0 && std::isfinite(v) ? v / largest : 0;
  }
  return values;
}

std::string CaptionOf(const Explanation& explanation,
                      const std::string& method) {
  const auto found =
      std::ranges::find(explanation.agreements, method, &Agreement::method);
  if (found == explanation.agreements.end() || found->targets == 0) return "";
  return fmt::format("agrees with attention: Spearman {:.2f}, Kendall {:.2f}",
                     found->spearman, found->kendall);
}

std::vector<Shading> ShadingsOf(const Explanation& explanation) {
  std::vector<Shading> shadings;
  if (explanation.alignment) {
    shadings.push_back(
        {"attention", "mean of the heads", AlignmentWeights(explanation)});
  }
  for (const Attribution& attribution : explanation.attributions) {
    shadings.push_back(
        {MethodName(attribution.method),
         CaptionOf(explanation, attribution.method),
         DividedByLargest(attribution.scores, explanation.source.size())});
  }
  return shadings;
}

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
                                    kLeastNumber, columns));
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
  const Drawing flow = FlowDrawings(shadings, kPictureWidth, kPictureGap);
  if (explanation.text.empty()) return flow;
  const std::vector<Drawing> parts = {
      DrawHeading(fmt::format("{} → {}", explanation.text, explanation.answer),
                  1),
      flow};
  return StackDrawings(parts, 14);
}

std::string MethodName(std::string_view method) {
  std::string name(method);
  const size_t times = name.find("_x_");
  if (times != std::string::npos) name.replace(times, 3, " × ");
  std::ranges::replace(name, '_', ' ');
  return name;
}

}  // namespace heed
