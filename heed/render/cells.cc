#include "heed/render/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "heed/base/at.h"
#include "heed/explain/faithfulness.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int kCellShades = 20;
constexpr int kTipColumns = 24;

int ShadeOf(float value) {
  const float bounded = std::isnan(value) ? 0 : std::clamp(value, -1.0f, 1.0f);
  return static_cast<int>(std::lround(bounded * kCellShades));
}

// Formats a size or position with few digits.
std::string Short(double value) {
  return fmt::format("{:.6g}", std::round(value * 100) / 100);
}

}  // namespace

void AddCells(std::span<const float> values, int64_t columns, double cell_width,
              double cell_height, MarkupWriter* svg) {
  if (columns == 0) return;
  std::array<std::string, 2 * kCellShades + 1> paths;
  const auto rows = static_cast<int64_t>(values.size()) / columns;
  for (int64_t row = 0; row < rows; ++row) {
    const auto line = values.subspan(static_cast<size_t>(row * columns),
                                     static_cast<size_t>(columns));
    for (size_t begin = 0; begin < line.size();) {
      const int shade = ShadeOf(line[begin]);
      size_t end = begin + 1;
      while (end < line.size() && ShadeOf(line[end]) == shade) ++end;
      if (shade != 0) {
        const double width = cell_width * static_cast<double>(end - begin);
        At(paths, shade + kCellShades) += fmt::format(
            "M{} {}h{}v{}h-{}z", Short(cell_width * static_cast<double>(begin)),
            Short(cell_height * static_cast<double>(row)), Short(width),
            Short(cell_height), Short(width));
      }
      begin = end;
    }
  }
  for (int shade = -kCellShades; shade <= kCellShades; ++shade) {
    const std::string& path = At(paths, shade + kCellShades);
    if (path.empty()) continue;
    svg->Line("<path class='{}' fill-opacity='{}' d='{}'/>",
              shade < 0 ? "minus" : "cell",
              static_cast<double>(std::abs(shade)) / kCellShades, path);
  }
}

std::string FormatStrongest(std::span<const float> values,
                            std::span<const std::string> tokens, size_t count) {
  const std::vector<size_t> order = OrderByMagnitude(values);
  std::string out;
  for (size_t i = 0; i < std::min(count, order.size()); ++i) {
    const float value = values[order[i]];
    if (!(std::abs(value) >= 0.005f)) break;
    out += fmt::format("{}{} {:.2f}", out.empty() ? "" : ", ",
                       Ellipsize(VisibleToken(tokens[order[i]]), kTipColumns),
                       value);
  }
  return out.empty() ? "nothing" : out;
}

}  // namespace heed
