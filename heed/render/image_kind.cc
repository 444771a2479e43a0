// Images: the picture itself, and its cells shaded by values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/render/axis_kind.h"
#include "heed/render/image_drawing.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kImageSide = 224;
constexpr size_t kMostOverlays = 60;

/// Rows of cells, two columns each: of a value below zero with a minus where
/// there is no colour.
std::string CellsText(const Axis& axis, std::span<const float> values,
                      int indent, const TerminalOptions& terminal) {
  const ImagePayload image(axis);
  const auto columns = static_cast<size_t>(image.columns());
  std::string out;
  for (size_t begin = 0; begin < values.size(); begin += columns) {
    out.append(static_cast<size_t>(indent), ' ');
    for (size_t x = 0; x < columns; ++x) {
      const float value = values[begin + x];
      if (value < -0.05f) {
        out += terminal.colour
                   ? terminal::Background(202 - 36 * (value > -0.5f), "- ")
                   : fmt::format("-{}", TerminalCell(-value, 1, false));
      } else {
        out += TerminalCell(value, 2, terminal.colour);
      }
    }
    out += '\n';
  }
  return out;
}

/// Weights as shades: the largest has the full one.
std::vector<float> ShadesOf(std::vector<float> weights, double full) {
  const float factor = ShadeFactor(weights, full);
  for (float& weight : weights) weight = std::min(1.0f, weight * factor);
  return weights;
}

std::string CaptionOf(const ExplanationSegment& segment, const Target& target) {
  const std::string label = segment.LabelOf(target);
  return target.probability
             ? fmt::format("{} {:.2f}", label, *target.probability)
             : label;
}

/// The row of a target's attention to the image; none: it has none.
std::vector<float> ImageRow(const ExplanationSegment& segment,
                            const Target& target, const Axis& image) {
  if (!target.map || segment.maps.at(*target.map).key != image.id) return {};
  return RowOf(segment, target);
}

Drawing WithCaption(Drawing drawing, const std::string& caption) {
  const std::vector<Drawing> parts = {std::move(drawing),
                                      DrawHeading(caption, 3)};
  return StackDrawings(parts, 4);
}

/// The image, and beside it what each part of the answer attends to.
Drawing DrawWithAttention(const ExplanationSegment& segment,
                          const ViewOptions&) {
  const Axis& image = *ImageAxisOf(segment);
  std::vector<Drawing> drawings = {
      WithCaption(DrawImage(image, {}, kImageSide), image.label)};
  for (const Target& target : segment.targets) {
    if (drawings.size() > kMostOverlays) break;
    const std::vector<float> row = ImageRow(segment, target, image);
    if (row.empty()) continue;
    drawings.push_back(
        WithCaption(DrawImage(image, ShadesOf(row, 0), kImageSide),
                    CaptionOf(segment, target)));
  }
  const std::vector<Drawing> parts = {
      DrawHeading(TitleOf(segment), 1),
      FlowDrawings(drawings, kPictureWidth, kPictureGap)};
  return StackDrawings(parts, 14);
}

std::string TextWithAttention(const ExplanationSegment& segment,
                              const ViewOptions&,
                              const TerminalOptions& terminal) {
  const Axis& image = *ImageAxisOf(segment);
  std::string out = terminal::Strong(terminal, VisibleToken(TitleOf(segment))) +
                    '\n' + ThumbnailText(ThumbnailOf(image), 2, terminal);
  for (const Target& target : segment.targets) {
    const std::vector<float> row = ImageRow(segment, target, image);
    if (row.empty()) continue;
    out += fmt::format(
        "  {}\n", terminal::Quiet(
                      terminal, "attention of " + CaptionOf(segment, target)));
    out += CellsText(image, ShadesOf(row, 0), 2, terminal);
  }
  return out;
}

}  // namespace

AxisKind ImageKind() {
  AxisKind kind;
  kind.name = "image";
  kind.shade = [](const ExplanationSegment&, const Axis& axis,
                  std::span<const float> values, double width) {
    return DrawImage(axis, values, std::min(width, kImageSide));
  };
  kind.shade_text = [](const ExplanationSegment&, const Axis& axis,
                       std::span<const float> values, int indent,
                       const TerminalOptions& terminal) {
    return CellsText(axis, values, indent, terminal);
  };
  kind.picture = DrawWithAttention;
  kind.picture_text = TextWithAttention;
  return kind;
}

}  // namespace heed
