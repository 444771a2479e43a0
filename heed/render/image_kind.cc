// Images: the picture itself, and its cells shaded by values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/errors.h"
#include "heed/render/axis_kind.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kImageSide = 224;
constexpr double kOverlayOpacity = 0.8;
// Light on a dark image and dark on a light one.
constexpr const char* kFor = "#3f9bff";
constexpr const char* kAgainst = "#ff8a3d";
constexpr size_t kMostOverlays = 60;

/// What the payload of an image says: sizes in pixels, the side of a cell, the
/// file as base64, and a small grey picture for a terminal, rows of 0 to 255.
struct ImagePayload {
  explicit ImagePayload(const Axis& axis) {
    const auto& payload = axis.payload;
    for (const char* key : {"width", "height", "cell", "png", "grey"}) {
      if (payload.is_object() && payload.contains(key)) continue;
      throw ShapeError("axis '{}': an image without '{}'", axis.id, key);
    }
    width = payload.at("width").get<int64_t>();
    height = payload.at("height").get<int64_t>();
    cell = payload.at("cell").get<int64_t>();
    if (cell < 1 || columns() * (height / cell) != axis.size()) {
      throw ShapeError(
          "axis '{}': {} cells of {} pixels in an image of {} × {}", axis.id,
          axis.size(), cell, width, height);
    }
    png = payload.at("png").get_ref<const std::string&>();
  }
  int64_t columns() const { return width / cell; }

  int64_t width = 0;
  int64_t height = 0;
  int64_t cell = 0;
  std::string png;
};

/// The image, at most `side` high and wide, with cells of their values' shades
/// on it.
Drawing DrawImage(const Axis& axis, std::span<const float> values,
                  double side) {
  const ImagePayload image(axis);
  const double scale =
      side / static_cast<double>(std::max(image.width, image.height));
  const double width = scale * static_cast<double>(image.width);
  const double height = scale * static_cast<double>(image.height);
  MarkupWriter svg;
  svg.Line(
      "<image width='{:.1f}' height='{:.1f}' preserveAspectRatio='none' "
      "style='image-rendering:pixelated' "
      "href='data:image/png;base64,{}'/>",
      width, height, image.png);
  const double cell = scale * static_cast<double>(image.cell);
  for (size_t i = 0; i < values.size(); ++i) {
    const float value = std::clamp(values[i], -1.0f, 1.0f);
    if (!(std::abs(value) >= 0.005f)) continue;
    const auto place = static_cast<int64_t>(i);
    const int64_t y = place / image.columns();
    svg.Line(
        "<rect fill='{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' "
        "height='{:.1f}' fill-opacity='{:.2f}'><title>{}: {:.2f}</title>"
        "</rect>",
        value < 0 ? kAgainst : kFor,
        cell * static_cast<double>(place % image.columns()),
        cell * static_cast<double>(y), cell, cell,
        kOverlayOpacity * std::abs(value), EscapeMarkup(axis.shown().at(i)),
        value);
  }
  return {width, height, svg.Take()};
}

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

/// The image in half blocks, or in shades where there is no colour.
std::string ThumbnailText(const Axis& axis, int indent,
                          const TerminalOptions& terminal) {
  const ImagePayload image(axis);
  const auto rows =
      axis.payload.at("grey").get<std::vector<std::vector<float>>>();
  std::string out;
  for (size_t y = 0; y < rows.size(); y += 2) {
    out.append(static_cast<size_t>(indent), ' ');
    for (size_t x = 0; x < rows[y].size(); ++x) {
      const float upper = rows[y][x] / 255;
      const float lower = y + 1 < rows.size() ? rows[y + 1].at(x) / 255 : upper;
      out += terminal.colour ? TerminalHalfCells(upper, lower)
                             : TerminalCell((upper + lower) / 2, 1, false);
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

const Axis* ImageOf(const ExplanationSegment& segment) {
  for (const Axis& axis : segment.axes) {
    if (axis.kind == "image") return &axis;
  }
  return nullptr;
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
  const Axis& image = *ImageOf(segment);
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
  const Axis& image = *ImageOf(segment);
  std::string out = terminal::Strong(terminal, VisibleToken(TitleOf(segment))) +
                    '\n' + ThumbnailText(image, 2, terminal);
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
