#include "course/preference_picture.h"

#include <algorithm>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/base64.h"
#include "heed/render/image_drawing.h"
#include "heed/render/markup.h"

namespace heed {
namespace {

constexpr double kPatchSide = 35;
constexpr double kPatchGap = 3;
constexpr double kUnitLabel = 30;
constexpr int64_t kMapFrames = 4;
constexpr double kMapGap = 6;
constexpr int kTextIndent = 2;
constexpr int64_t kTextGap = 2;
constexpr float kMinShade = 0.05F;
constexpr float kMaxShade = 0.75F;
constexpr const char* kOnSprite = "#ff8a3d";
constexpr const char* kActivity = "#ff3d3d";

std::string PngElement(const Image& image, double width, double height) {
  return ImageElement(ToBase64(EncodePng(image)), width, height);
}

/// Returns the patches of a unit in one image, smaller than an image per patch.
Image RowOfPatches(const PreferringUnit& unit, const Images& frames) {
  std::vector<Image> patches;
  for (const PreferredPatch& patch : unit.patches) {
    patches.push_back(PatchOf(frames.At(patch.frame), patch.field));
  }
  const int64_t side = patches.front().height;
  Image row = {side, side * std::ssize(patches), patches.front().channels, {}};
  for (int64_t y = 0; y < side; ++y) {
    for (const Image& patch : patches) {
      const auto begin = patch.pixels.begin() + y * side * patch.channels;
      row.pixels.insert(row.pixels.end(), begin, begin + side * patch.channels);
    }
  }
  return row;
}

Drawing DrawUnit(const PreferringUnit& unit, const Images& frames) {
  MarkupWriter svg;
  svg.Line(
      "<text class='token' font-size='11' x='{:.0f}' y='{:.1f}' "
      "text-anchor='end'>{}</text>",
      kUnitLabel - 6, kPatchSide / 2 + 4, unit.unit + 1);
  const auto count = static_cast<double>(unit.patches.size());
  svg.Line(
      "<g transform='translate({:.0f} 0)'>\n{}", kUnitLabel,
      PngElement(RowOfPatches(unit, frames), count * kPatchSide, kPatchSide));
  double x = 0;
  for (const PreferredPatch& patch : unit.patches) {
    svg.Line(
        "<rect x='{:.1f}' y='1' width='{:.1f}' height='{:.1f}' fill='none' "
        "stroke-width='2' {}><title>frame {}, activation {:.2f}: {}</title>"
        "</rect>",
        x + 1, kPatchSide - 2, kPatchSide - 2,
        patch.touches ? fmt::format("stroke='{}'", kOnSprite)
                      : std::string("stroke='#808080' stroke-opacity='0.5'"),
        patch.frame + 1, patch.activation,
        patch.touches ? "the sprite" : "the ground");
    x += kPatchSide;
  }
  svg.Line("</g>");
  return {kUnitLabel + count * kPatchSide, kPatchSide, svg.Take()};
}

/// Draws a frame and, where it exceeds the median over positions, the mean
/// activation.
Drawing DrawMap(const Preferences& found, int64_t number, const Image& frame,
                double side) {
  const std::vector<float>& map = At(found.maps, number);
  std::vector<float> sorted = map;
  std::ranges::nth_element(sorted, sorted.begin() + std::ssize(sorted) / 2);
  const float middle = sorted[sorted.size() / 2];
  const float max = std::ranges::max(map);
  const double cell = side / static_cast<double>(found.columns);
  MarkupWriter svg;
  for (size_t i = 0; i < map.size(); ++i) {
    const float value = max > middle ? (map[i] - middle) / (max - middle) : 0;
    if (value < kMinShade) continue;
    const auto place = static_cast<int64_t>(i);
    const int64_t row = place / found.columns;
    svg.Line(
        "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}' "
        "fill-opacity='{:.2f}'/>",
        cell * static_cast<double>(place % found.columns),
        cell * static_cast<double>(row), cell, cell, kActivity,
        kMaxShade * value);
  }
  return {side, side, PngElement(frame, side, side) + svg.Take()};
}

/// Draws the colour scale of DrawMap.
Drawing DrawMapScale() {
  constexpr int kSteps = 8;
  constexpr double kStep = 12;
  constexpr double kHeight = 10;
  MarkupWriter svg;
  svg.Line("<rect width='{}' height='{}' fill='#808080'/>", kSteps * kStep,
           kHeight);
  for (int i = 1; i < kSteps; ++i) {
    svg.Line(
        "<rect x='{}' width='{}' height='{}' fill='{}' fill-opacity='{:.2f}'/>",
        kStep * i, kStep, kHeight, kActivity,
        kMaxShade * static_cast<float>(i) / (kSteps - 1));
  }
  svg.Line(
      "<text class='quiet' font-size='11' x='{}' y='9'>from the median of the "
      "frame to its largest</text>",
      kSteps * kStep + 8);
  return {kSteps * kStep + 8 + 230, kHeight + 2, svg.Take()};
}

}  // namespace

Drawing DrawPreferences(const NamedPreferences& weights, const Images& frames) {
  std::vector<Drawing> parts = {DrawHeading(weights.heading, 2),
                                DrawHeading(weights.note, 3)};
  double width = 0;
  for (const PreferringUnit& unit : weights.found.units) {
    parts.push_back(DrawUnit(unit, frames));
    width = std::max(width, parts.back().width);
  }
  parts.push_back(DrawHeading("Mean activation of all units, by place", 3));
  std::vector<Drawing> maps;
  const double side = (width - kMapGap * (kMapFrames - 1)) / kMapFrames;
  const int64_t shown = std::min(kMapFrames, std::ssize(weights.found.maps));
  for (int64_t i = 0; i < shown; ++i) {
    maps.push_back(DrawMap(weights.found, i, frames.At(i), side));
  }
  parts.push_back(FlowDrawings(maps, width + 1, kMapGap));
  parts.push_back(DrawMapScale());
  return StackDrawings(parts, kPatchGap);
}

std::string PreferencesText(const NamedPreferences& weights,
                            const Images& frames,
                            const TerminalOptions& terminal) {
  std::vector<std::vector<float>> rows;
  for (const PreferringUnit& unit : weights.found.units) {
    const PreferredPatch& patch = unit.patches.front();
    const int64_t side = patch.field.side;
    const Image image =
        WithChannels(PatchOf(frames.At(patch.frame), patch.field), 1);
    rows.resize(static_cast<size_t>(side));
    const auto used = std::ssize(rows.front());
    if (kTextIndent + used + (used > 0 ? kTextGap : 0) + side >
        terminal.width) {
      break;
    }
    for (int64_t y = 0; y < side; ++y) {
      std::vector<float>& row = At(rows, y);
      if (used > 0) row.insert(row.end(), kTextGap, 0.0F);
      for (int64_t x = 0; x < side; ++x) {
        row.push_back(static_cast<float>(image.At(y, x)[0]) / 255);
      }
    }
  }
  return terminal::Strong(terminal, weights.title) + "\n  " +
         terminal::Quiet(terminal, weights.note) + '\n' +
         ThumbnailText(rows, kTextIndent, terminal);
}

}  // namespace heed
