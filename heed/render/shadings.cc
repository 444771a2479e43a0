#include "heed/render/shadings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace heed {
namespace {

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

}  // namespace

std::vector<Shading> ShadingsOf(const Explanation& explanation) {
  std::vector<Shading> shadings;
  if (explanation.alignment) {
    shadings.push_back(
        {"attention",
         explanation.alignment_head < 0
             ? "mean of the heads"
             : fmt::format("head {}", explanation.alignment_head),
         AlignmentWeights(explanation)});
  }
  for (const Attribution& attribution : explanation.attributions) {
    shadings.push_back(
        {MethodName(attribution.method),
         CaptionOf(explanation, attribution.method),
         DividedByLargest(attribution.scores, explanation.source.size())});
  }
  return shadings;
}

std::string MethodName(std::string_view method) {
  std::string name(method);
  const size_t times = name.find("_x_");
  if (times != std::string::npos) name.replace(times, 3, " × ");
  std::ranges::replace(name, '_', ' ');
  return name;
}

}  // namespace heed
