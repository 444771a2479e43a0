#include "heed/render/image_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "heed/base/at.h"
#include "heed/base/base64.h"
#include "heed/base/errors.h"
#include "heed/data/image.h"
#include "heed/render/markup.h"
#include "heed/render/shades_terminal.h"

namespace heed {
namespace {

constexpr double kOverlayOpacity = 0.8;
// Light on a dark image, dark on a light one.
constexpr const char* kFor = "#3f9bff";
constexpr const char* kAgainst = "#ff8a3d";
constexpr int64_t kMaxAttendedSide = 224;  // pixels of the blended image
constexpr float kUnattended = 0.2f;        // remaining share of the image
// Neither black nor white, to be visible beside both.
constexpr std::array<float, 3> kVeil = {52, 58, 84};
constexpr int kMarkGround = 220;  // yellow, not a shade of an image
constexpr int kMarkInk = 16;

/// Channel `c` of a pixel under the veil, which a weight of 1 removes.
float Veiled(float value, float weight, size_t c) {
  const float share = kUnattended + (1 - kUnattended) * weight;
  return share * value + (1 - share) * kVeil[c];
}

/// Lines of text that hold two rows each; `cell(y, x)` draws rows y and y + 1
/// of a column.
std::string MarkedCells(
    size_t rows, size_t columns, int indent, const TerminalOptions& terminal,
    std::span<const ThumbnailMark> marks,
    const std::function<std::string(size_t y, size_t x)>& cell) {
  std::string out;
  for (size_t y = 0; y < rows; y += 2) {
    out.append(static_cast<size_t>(indent), ' ');
    for (size_t x = 0; x < columns; ++x) {
      const auto found = std::ranges::find_if(marks, [&](const auto& mark) {
        return mark.row / 2 == static_cast<int64_t>(y / 2) &&
               mark.column == static_cast<int64_t>(x);
      });
      if (found == marks.end()) {
        out += cell(y, x);
      } else if (!terminal.colour) {
        out += found->mark;
      } else {
        out += terminal::Background(
            kMarkGround,
            terminal::Foreground(kMarkInk, std::string(1, found->mark)));
      }
    }
    out += '\n';
  }
  return out;
}

}  // namespace

const ImagePayload& ImageOf(const Axis& axis) {
  const auto& own = PayloadOf<ImagePayload>(axis);
  const Image& image = own.image;
  if (own.cell < 1 ||
      own.columns() * (image.height / own.cell) != axis.size()) {
    throw ShapeError("axis '{}': {} cells of {} pixels in an image of {} × {}",
                     axis.id, axis.size(), own.cell, image.width, image.height);
  }
  return own;
}

double ScaleOf(const Image& image, double side) {
  return side / static_cast<double>(std::max(image.width, image.height));
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
  const ImagePayload& image = ImageOf(axis);
  const double scale = ScaleOf(image.image, side);
  const double width = scale * static_cast<double>(image.image.width);
  const double height = scale * static_cast<double>(image.image.height);
  MarkupWriter svg;
  const double cell = scale * static_cast<double>(image.cell);
  for (size_t i = 0; i < values.size(); ++i) {
    const float value = std::clamp(values[i], -1.0f, 1.0f);
    if (!(std::abs(value) >= 0.005f)) continue;
    const auto place = static_cast<int64_t>(i);
    const int64_t y = place / image.columns();
    svg.Line(
        "<rect fill='{}' x='{:.1f}' y='{:.1f}' width='{:.1f}' "
        "height='{:.1f}' fill-opacity='{:.2f}' {}><title>{}: {:.2f}</title>"
        "</rect>",
        value < 0 ? kAgainst : kFor,
        cell * static_cast<double>(place % image.columns()),
        cell * static_cast<double>(y), cell, cell,
        kOverlayOpacity * std::abs(value), ItemAttributes(axis.id, place),
        EscapeMarkup(axis.shown().at(i)), value);
  }
  return {width, height, ImageElement(image.png, width, height) + svg.Take()};
}

std::vector<float> SmoothedWeights(std::span<const float> weights,
                                   int64_t columns, int64_t height,
                                   int64_t width) {
  const int64_t rows = std::ssize(weights) / columns;
  // Row i of a matrix: contributions of the cells of line i to the pixels.
  const auto spread = [](int64_t cells, int64_t pixels) {
    std::vector<float> factors;
    for (int64_t i = 0; i < cells; ++i) {
      for (int64_t p = 0; p < pixels; ++p) {
        const double at = (static_cast<double>(p) + 0.5) *
                          static_cast<double>(cells) /
                          static_cast<double>(pixels);
        const double off = at - static_cast<double>(i) - 0.5;
        factors.push_back(static_cast<float>(std::exp(-off * off / 2)));
      }
    }
    return factors;
  };
  const std::vector<float> down = spread(rows, height);
  const std::vector<float> across = spread(columns, width);
  std::vector<float> values(static_cast<size_t>(height * width));
  std::vector<float> line(static_cast<size_t>(width));
  for (int64_t r = 0; r < rows; ++r) {
    std::ranges::fill(line, 0.0f);
    for (int64_t c = 0; c < columns; ++c) {
      const float w = std::max(0.0f, At(weights, r * columns + c));
      for (int64_t x = 0; x < width; ++x) {
        At(line, x) += w * At(across, c * width + x);
      }
    }
    for (int64_t y = 0; y < height; ++y) {
      const float factor = At(down, r * height + y);
      for (int64_t x = 0; x < width; ++x) {
        At(values, y * width + x) += factor * At(line, x);
      }
    }
  }
  const float max = std::ranges::max(values);
  if (!(max > 0)) return std::vector<float>(values.size());
  for (float& value : values) value /= max;
  return values;
}

Drawing DrawAttended(const Axis& axis, std::span<const float> weights,
                     double side) {
  const ImagePayload& payload = ImageOf(axis);
  const Image& own = payload.image;
  if (std::ssize(weights) != axis.size()) {
    throw ShapeError("axis '{}': {} weights for {} cells", axis.id,
                     weights.size(), axis.size());
  }
  const int64_t longer = std::max(own.height, own.width);
  const auto fitted = [longer](int64_t length) {
    return longer <= kMaxAttendedSide
               ? length
               : std::max<int64_t>(1, length * kMaxAttendedSide / longer);
  };
  Image image =
      WithChannels(Resized(own, fitted(own.height), fitted(own.width)), 3);
  const std::vector<float> seen =
      SmoothedWeights(weights, payload.columns(), image.height, image.width);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<uint8_t>(std::lround(
        Veiled(static_cast<float>(image.pixels[i]), seen[i / 3], i % 3)));
  }
  const double scale = ScaleOf(own, side);
  const double width = scale * static_cast<double>(own.width);
  const double height = scale * static_cast<double>(own.height);
  return {width, height,
          ImageElement(ToBase64(EncodePng(image)), width, height)};
}

Drawing DrawAttendedLegend() {
  constexpr int kSteps = 16;
  constexpr double kStep = 10;
  constexpr double kWidth = kSteps * kStep;
  MarkupWriter svg;
  svg.Line("<g class='attended-legend' font-size='11'>");
  for (int i = 0; i < kSteps; ++i) {
    // White, a possible colour of any image.
    const float weight = static_cast<float>(i) / (kSteps - 1);
    std::array<int, 3> colour = {};
    for (size_t c = 0; c < 3; ++c) {
      colour[c] = static_cast<int>(Veiled(255, weight, c));
    }
    svg.Line("<rect x='{}' width='{}' height='10' fill='rgb({},{},{})'/>",
             kStep * i, kStep, colour[0], colour[1], colour[2]);
  }
  svg.Line(
      "<text class='quiet' y='25'>0</text><text class='quiet' x='{}' y='25' "
      "text-anchor='end'>largest</text><text class='quiet' x='{}' y='9'>"
      "attention, in each image by its largest weight</text></g>",
      kWidth, kWidth + 10);
  return {kWidth + 290, 28, svg.Take()};
}

std::vector<std::vector<float>> SharesOf(
    const std::vector<std::vector<int>>& grey) {
  std::vector<std::vector<float>> rows;
  for (const std::vector<int>& row : grey) {
    rows.emplace_back(row.begin(), row.end());
    for (float& value : rows.back()) value /= 255;
  }
  return rows;
}

std::string ThumbnailText(const std::vector<std::vector<float>>& rows,
                          int indent, const TerminalOptions& terminal,
                          std::span<const ThumbnailMark> marks) {
  const auto cell = [&](size_t y, size_t x) {
    const float upper = rows[y][x];
    const float lower = y + 1 < rows.size() ? rows[y + 1].at(x) : upper;
    return terminal.colour ? TerminalHalfCells(upper, lower)
                           : TerminalCell((upper + lower) / 2, 1, false);
  };
  const size_t columns = rows.empty() ? 0 : rows[0].size();
  return MarkedCells(rows.size(), columns, indent, terminal, marks, cell);
}

std::string ThumbnailText(const Image& image, int indent,
                          const TerminalOptions& terminal,
                          std::span<const ThumbnailMark> marks) {
  const auto rows = SharesOf(ThumbnailOf(image));
  if (image.channels == 1 || !terminal.colour) {
    return ThumbnailText(rows, indent, terminal, marks);
  }
  const Image small = Resized(image, std::ssize(rows), std::ssize(rows.at(0)));
  const auto cell = [&](size_t row, size_t column) {
    const auto y = static_cast<int64_t>(row);
    const auto x = static_cast<int64_t>(column);
    return TerminalHalfCells(small.At(y, x),
                             small.At(std::min(y + 1, small.height - 1), x));
  };
  return MarkedCells(rows.size(), rows[0].size(), indent, terminal, marks,
                     cell);
}

}  // namespace heed
