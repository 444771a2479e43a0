#include "heed/render/shadings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "heed/render/view.h"

namespace heed {
namespace {

std::vector<float> DividedByLargest(std::span<const float> scores,
                                    size_t columns) {
  std::vector<float> values(scores.begin(), scores.end());
  for (size_t begin = 0; begin < values.size(); begin += columns) {
    const auto row = std::span(values).subspan(begin, columns);
    const float factor = ShadeFactor(row, 0);
    for (float& v : row) v = std::isfinite(v) ? v * factor : 0;
  }
  return values;
}

std::string CaptionOf(const ExplanationSegment& segment,
                      const std::string& method) {
  const auto found =
      std::ranges::find(segment.agreements, method, &Agreement::method);
  if (found == segment.agreements.end() || found->targets == 0) return "";
  return fmt::format("agrees with attention: Spearman {:.2f}, Kendall {:.2f}",
                     found->spearman, found->kendall);
}

void AddAttention(const ExplanationSegment& segment, double full,
                  std::vector<Shading>& shadings) {
  for (size_t i = 0; i < segment.targets.size(); ++i) {
    const Target& target = segment.targets[i];
    if (!target.map) continue;
    const std::string& key = segment.maps.at(*target.map).key;
    auto known = std::ranges::find(shadings, key, &Shading::axis);
    if (known == shadings.end()) {
      const bool several = segment.maps.at(*target.map).heads > 1;
      shadings.push_back({"attention", key, {}, {}, ""});
      known = shadings.end() - 1;
      if (several) {
        known->caption = target.head < 0 ? "mean of the heads"
                                         : fmt::format("head {}", target.head);
      }
      if (full != 1) {
        known->caption += known->caption.empty() ? "" : ", ";
        known->caption += full > 0 ? fmt::format("divided by {:.2g}", full)
                                   : "each divided by its largest weight";
      }
    }
    std::vector<float> row = RowOf(segment, target);
    const float factor = ShadeFactor(row, full);
    for (float& w : row) w *= factor;
    known->targets.push_back(i);
    known->values.insert(known->values.end(), row.begin(), row.end());
  }
}

}  // namespace

std::vector<Shading> ShadingsOf(const ExplanationSegment& segment,
                                double full) {
  std::vector<Shading> shadings;
  AddAttention(segment, full, shadings);
  for (const Attribution& a : segment.attributions) {
    const auto width = static_cast<size_t>(segment.axis(a.axis).size());
    shadings.push_back({MethodName(a.method), a.axis, a.targets,
                        DividedByLargest(a.scores, width),
                        CaptionOf(segment, a.method)});
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
