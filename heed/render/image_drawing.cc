#include "heed/render/image_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"

namespace heed {
namespace {

constexpr double kOverlayOpacity = 0.8;
// Light on a dark image and dark on a light one.
constexpr const char* kFor = "#3f9bff";
constexpr const char* kAgainst = "#ff8a3d";
constexpr int kMarkGround = 220;  // yellow, in no shade of an image
constexpr int kMarkInk = 16;

}  // namespace

ImagePayload::ImagePayload(const Axis& axis) {
  const auto& payload = axis.payload;
  for (const char* key : {"width", "height", "cell", "png", "grey"}) {
    if (payload.is_object() && payload.contains(key)) continue;
    throw ShapeError("axis '{}': an image without '{}'", axis.id, key);
  }
  width = payload.at("width").get<int64_t>();
  height = payload.at("height").get<int64_t>();
  cell = payload.at("cell").get<int64_t>();
  if (cell < 1 || columns() * (height / cell) != axis.size()) {
    throw ShapeError("axis '{}': {} cells of {} pixels in an image of {} × {}",
                     axis.id, axis.size(), cell, width, height);
  }
  png = payload.at("png").get_ref<const std::string&>();
}

double ImagePayload::Scale(double side) const {
  return side / static_cast<double>(std::max(width, height));
}

const Axis* ImageAxisOf(const ExplanationSegment& segment) {
  for (const Axis& axis : segment.axes) {
    if (axis.kind == "image") return &axis;
  }
  return nullptr;
}

std::string ImageElement(const std::string& png, double width, double height) {
  return fmt::format(
      "<image width='{:.1f}' height='{:.1f}' preserveAspectRatio='none' "
      "style='image-rendering:pixelated' "
      "href='data:image/png;base64,{}'/>\n",
      width, height, png);
}

Drawing DrawImage(const Axis& axis, std::span<const float> values,
                  double side) {
  const ImagePayload image(axis);
  const double scale = image.Scale(side);
  const double width = scale * static_cast<double>(image.width);
  const double height = scale * static_cast<double>(image.height);
  MarkupWriter svg;
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
  return {width, height, ImageElement(image.png, width, height) + svg.Take()};
}

std::vector<std::vector<float>> ThumbnailOf(const Axis& axis) {
  const ImagePayload image(axis);
  auto rows = axis.payload.at("grey").get<std::vector<std::vector<float>>>();
  for (auto& row : rows) {
    for (float& value : row) value /= 255;
  }
  return rows;
}

std::string ThumbnailText(const std::vector<std::vector<float>>& rows,
                          int indent, const TerminalOptions& terminal,
                          std::span<const ThumbnailMark> marks) {
  const auto mark_at = [&](size_t y, size_t x) {
    const auto found = std::ranges::find_if(marks, [&](const auto& mark) {
      return mark.row / 2 == static_cast<int64_t>(y / 2) &&
             mark.column == static_cast<int64_t>(x);
    });
    return found == marks.end() ? std::string() : std::string(1, found->mark);
  };
  std::string out;
  for (size_t y = 0; y < rows.size(); y += 2) {
    out.append(static_cast<size_t>(indent), ' ');
    for (size_t x = 0; x < rows[y].size(); ++x) {
      const std::string mark = mark_at(y, x);
      const float upper = rows[y][x];
      const float lower = y + 1 < rows.size() ? rows[y + 1].at(x) : upper;
      if (!terminal.colour) {
        out +=
            mark.empty() ? TerminalCell((upper + lower) / 2, 1, false) : mark;
      } else if (mark.empty()) {
        out += TerminalHalfCells(upper, lower);
      } else {
        out += terminal::Background(kMarkGround,
                                    terminal::Foreground(kMarkInk, mark));
      }
    }
    out += '\n';
  }
  return out;
}

}  // namespace heed
