#include "heed/render/path_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "heed/base/errors.h"
#include "heed/explain/payloads.h"
#include "heed/render/image_drawing.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kPathSide = 336;
constexpr double kSeenSide = 84;
constexpr double kSeenRows = 560;
constexpr double kLabelRadius = 9;
// Visible on dark and light images.
constexpr const char* kWindowColour = "#ff8a3d";

using Window = ImagePayload::Window;
using Looks = std::vector<std::vector<Window>>;

double MiddleX(const Window& w) {
  return static_cast<double>(w.left) + static_cast<double>(w.side) / 2;
}
double MiddleY(const Window& w) {
  return static_cast<double>(w.top) + static_cast<double>(w.side) / 2;
}

struct LabelPlace {
  double x, y;
};

/// Positions of the glimpse numbers: in the middle of the smallest window, or
/// near it if an earlier number is there.
std::vector<LabelPlace> LabelPlaces(const Looks& looks, double scale,
                                    double width, double height) {
  constexpr double kApart = 2 * kLabelRadius + 1;
  constexpr int kDirections = 12;
  constexpr int kRings = 4;
  std::vector<LabelPlace> places;
  for (const auto& look : looks) {
    const auto within = [](double at, double whole) {
      return std::clamp(at, kLabelRadius, whole - kLabelRadius);
    };
    const LabelPlace middle = {within(scale * MiddleX(look[0]), width),
                               within(scale * MiddleY(look[0]), height)};
    const auto is_free = [&](const LabelPlace& place) {
      return std::ranges::none_of(places, [&](const LabelPlace& other) {
        return std::hypot(place.x - other.x, place.y - other.y) < kApart - 0.5;
      });
    };
    LabelPlace found = middle;
    for (int i = 0; i < kRings * kDirections && !is_free(found); ++i) {
      const int ring = i / kDirections;
      const double radius = kApart * (1 + ring);
      const double angle =
          2 * std::numbers::pi * (i % kDirections) / kDirections;
      found = {within(middle.x + radius * std::cos(angle), width),
               within(middle.y + radius * std::sin(angle), height)};
    }
    places.push_back(is_free(found) ? found : middle);
  }
  return places;
}

/// Legend of the frames of the windows.
Drawing DrawScales(const std::vector<Window>& look) {
  std::string words = fmt::format(
      "solid: the window of a look, {0} × {0} pixels", look[0].side);
  for (size_t i = 1; i < look.size(); ++i) {
    words += fmt::format("{}{}", i == 1 ? "; dashed: the same place, " : ", ",
                         look[i].side);
  }
  if (look.size() > 1) words += " pixels wide";
  return DrawHeading(words, 3);
}

Drawing DrawPath(const Axis& axis, const Looks& looks) {
  const ImagePayload& image = ImageOf(axis);
  const double scale = ScaleOf(image.image, kPathSide);
  const double width = scale * static_cast<double>(image.image.width);
  const double height = scale * static_cast<double>(image.image.height);
  MarkupWriter svg;
  // Windows may extend beyond the image.
  svg.Line(
      "<svg width='{0:.1f}' height='{1:.1f}' viewBox='0 0 {0:.1f} {1:.1f}' "
      "overflow='hidden'>",
      width, height);
  svg.Line("{}", ImageElement(image.png, width, height));
  svg.Line("<g fill='none' stroke='{}'>", kWindowColour);
  std::string path;
  for (const auto& look : looks) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L',
                        scale * MiddleX(look[0]), scale * MiddleY(look[0]));
    for (size_t i = 0; i < look.size(); ++i) {
      svg.Line(
          "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' {}/>",
          scale * static_cast<double>(look[i].left),
          scale * static_cast<double>(look[i].top),
          scale * static_cast<double>(look[i].side),
          scale * static_cast<double>(look[i].side),
          i == 0 ? "stroke-width='2'"
                 : "stroke-dasharray='2 4' stroke-opacity='0.8'");
    }
  }
  svg.Line("<path d='{}' stroke-width='2'/></g>", path);
  // The first number is on top if several overlap.
  const auto places = LabelPlaces(looks, scale, width, height);
  for (size_t t = looks.size(); t-- > 0;) {
    const auto [x, y] = places[t];
    svg.Line("<path d='M{:.1f} {:.1f}L{:.1f} {:.1f}' stroke='{}'/>",
             scale * MiddleX(looks[t][0]), scale * MiddleY(looks[t][0]), x, y,
             kWindowColour);
    svg.Line("<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='{}'/>", x, y,
             kLabelRadius, kWindowColour);
    svg.Line(
        "<text x='{:.1f}' y='{:.1f}' font-size='12' font-weight='600' "
        "text-anchor='middle' fill='#000'>{}</text>",
        x, y + 4.3, t + 1);
  }
  svg.Line("</svg>");
  return {width, height, svg.Take()};
}

/// Contents of the windows of a glimpse, one below the other.
Drawing DrawSeen(const std::vector<Window>& look, size_t number) {
  std::vector<Drawing> parts = {DrawHeading(fmt::format("{}", number), 3)};
  for (const Window& window : look) {
    parts.push_back(
        {kSeenSide, kSeenSide, ImageElement(window.png, kSeenSide, kSeenSide)});
  }
  return StackDrawings(parts, 4);
}

std::vector<Drawing> DrawLooks(const ExplanationSegment& segment,
                               const ViewOptions&) {
  const Axis& image = *ImageAxisOf(segment);
  const Looks& looks = ImageOf(image).looks;
  std::vector<Drawing> seen;
  for (size_t t = 0; t < looks.size(); ++t) {
    seen.push_back(DrawSeen(looks[t], t + 1));
  }
  const std::vector<Drawing> path = {DrawPath(image, looks),
                                     DrawScales(looks.front())};
  const std::vector<Drawing> parts = {StackDrawings(path, 8),
                                      FlowDrawings(seen, kSeenRows, 10)};
  const std::vector<Drawing> all = {
      DrawHeading(TitleOf(segment), 1),
      FlowDrawings(parts, kPictureWidth, kPictureGap)};
  return {StackDrawings(all, 14)};
}

char MarkOfLook(size_t number) {
  return number < 9 ? static_cast<char>('1' + number) : '+';
}

std::string LooksText(const ExplanationSegment& segment, const ViewOptions&,
                      const TerminalOptions& terminal) {
  const Axis& axis = *ImageAxisOf(segment);
  const Image& image = ImageOf(axis).image;
  const auto rows = ThumbnailOf(image);
  const Looks& looks = ImageOf(axis).looks;
  std::vector<ThumbnailMark> marks;
  std::string list;
  const auto within = [](double at, int64_t whole, size_t count) {
    const double share = at / static_cast<double>(whole);
    return std::clamp(static_cast<int64_t>(share * static_cast<double>(count)),
                      int64_t{0}, static_cast<int64_t>(count) - 1);
  };
  for (size_t t = 0; t < looks.size(); ++t) {
    const Window& window = looks[t][0];
    if (!rows.empty() && !rows[0].empty()) {
      marks.push_back({within(MiddleY(window), image.height, rows.size()),
                       within(MiddleX(window), image.width, rows[0].size()),
                       MarkOfLook(t)});
    }
    list += fmt::format("  {:>2}  columns {} to {}, rows {} to {}\n", t + 1,
                        window.left + 1, window.left + window.side,
                        window.top + 1, window.top + window.side);
  }
  return terminal::Strong(terminal, VisibleToken(TitleOf(segment))) + '\n' +
         ThumbnailText(image, 2, terminal, marks) +
         terminal::Quiet(terminal, "  looks, in pixels of the image") + '\n' +
         list;
}

}  // namespace

ExplanationView PathView() {
  ExplanationView view;
  view.name = "path";
  view.description = "where a model looked at an image, and what it saw there";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    const Axis* axis = ImageAxisOf(segment);
    const auto* image =
        axis == nullptr ? nullptr : axis->payload.As<ImagePayload>();
    return image != nullptr && !image->looks.empty()
               ? std::string()
               : std::string(
                     "the model does not look at an image part by part; "
                     "choose another view");
  };
  view.draw = DrawLooks;
  view.text = LooksText;
  view.legend = PictureLegend::kNone;
  view.on_page = true;
  return view;
}

}  // namespace heed
