#include "heed/render/path_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "heed/base/errors.h"
#include "heed/render/image_drawing.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kPathSide = 336;
constexpr double kSeenSide = 84;
constexpr double kSeenRows = 560;
constexpr double kLabelRadius = 9;
// Seen on dark and on light images.
constexpr const char* kWindowColour = "#ff8a3d";

/// A square in pixels of the image.
struct SeenWindow {
  double left, top, side;
  std::string png;  ///< what was seen in it, base64

  double x() const { return left + side / 2; }
  double y() const { return top + side / 2; }
};

bool HasLooks(const Axis* image) {
  return image != nullptr && image->payload.is_object() &&
         image->payload.contains("looks");
}

/// The windows of each look, the smallest first.
std::vector<std::vector<SeenWindow>> LooksOf(const Axis& image) {
  std::vector<std::vector<SeenWindow>> looks;
  for (const auto& look : image.payload.at("looks")) {
    const auto windows =
        look.at("windows").get<std::vector<std::array<double, 3>>>();
    const auto seen = look.at("seen").get<std::vector<std::string>>();
    if (windows.empty() || windows.size() != seen.size()) {
      throw ShapeError("axis '{}': a look with {} windows and {} images",
                       image.id, windows.size(), seen.size());
    }
    looks.emplace_back();
    for (size_t i = 0; i < windows.size(); ++i) {
      looks.back().push_back(
          {windows[i][0], windows[i][1], windows[i][2], seen[i]});
    }
  }
  return looks;
}

struct LabelPlace {
  double x, y;
};

/// Where the number of each look stands: in the middle of its smallest window,
/// or around it where the number of an earlier look is.
std::vector<LabelPlace> LabelPlaces(
    const std::vector<std::vector<SeenWindow>>& looks, double scale,
    double width, double height) {
  constexpr double kApart = 2 * kLabelRadius + 1;
  constexpr int kDirections = 12;
  constexpr int kRings = 4;
  std::vector<LabelPlace> places;
  for (const auto& look : looks) {
    const auto within = [](double at, double whole) {
      return std::clamp(at, kLabelRadius, whole - kLabelRadius);
    };
    const LabelPlace middle = {within(scale * look[0].x(), width),
                               within(scale * look[0].y(), height)};
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

/// Which frames belong to which window.
Drawing DrawScales(const std::vector<SeenWindow>& look) {
  std::string words = fmt::format(
      "solid: the window of a look, {0:.3g} × {0:.3g} pixels", look[0].side);
  for (size_t i = 1; i < look.size(); ++i) {
    words += fmt::format(
        "{}{:.3g}", i == 1 ? "; dashed: the same place, " : ", ", look[i].side);
  }
  if (look.size() > 1) words += " pixels wide";
  return DrawHeading(words, 3);
}

Drawing DrawPath(const Axis& axis,
                 const std::vector<std::vector<SeenWindow>>& looks) {
  const ImagePayload image(axis);
  const double scale = image.Scale(kPathSide);
  const double width = scale * static_cast<double>(image.width);
  const double height = scale * static_cast<double>(image.height);
  MarkupWriter svg;
  // Windows may reach beyond the image.
  svg.Line(
      "<svg width='{0:.1f}' height='{1:.1f}' viewBox='0 0 {0:.1f} {1:.1f}' "
      "overflow='hidden'>",
      width, height);
  svg.Line("{}", ImageElement(image.png, width, height));
  svg.Line("<g fill='none' stroke='{}'>", kWindowColour);
  std::string path;
  for (const auto& look : looks) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L',
                        scale * look[0].x(), scale * look[0].y());
    for (size_t i = 0; i < look.size(); ++i) {
      svg.Line(
          "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' {}/>",
          scale * look[i].left, scale * look[i].top, scale * look[i].side,
          scale * look[i].side,
          i == 0 ? "stroke-width='2'"
                 : "stroke-dasharray='2 4' stroke-opacity='0.8'");
    }
  }
  svg.Line("<path d='{}' stroke-width='2'/></g>", path);
  // The first on top where several stand together.
  const auto places = LabelPlaces(looks, scale, width, height);
  for (size_t t = looks.size(); t-- > 0;) {
    const auto [x, y] = places[t];
    svg.Line("<path d='M{:.1f} {:.1f}L{:.1f} {:.1f}' stroke='{}'/>",
             scale * looks[t][0].x(), scale * looks[t][0].y(), x, y,
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

/// What was seen at a look, a window below the other.
Drawing DrawSeen(const std::vector<SeenWindow>& look, size_t number) {
  std::vector<Drawing> parts = {DrawHeading(fmt::format("{}", number), 3)};
  for (const SeenWindow& window : look) {
    parts.push_back(
        {kSeenSide, kSeenSide, ImageElement(window.png, kSeenSide, kSeenSide)});
  }
  return StackDrawings(parts, 4);
}

std::vector<Drawing> DrawLooks(const ExplanationSegment& segment,
                               const ViewOptions&) {
  const Axis& image = *ImageAxisOf(segment);
  const auto looks = LooksOf(image);
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
  const ImagePayload image(axis);
  const auto rows = ThumbnailOf(axis);
  const auto looks = LooksOf(axis);
  std::vector<ThumbnailMark> marks;
  std::string list;
  const auto within = [](double at, int64_t whole, size_t count) {
    const double share = at / static_cast<double>(whole);
    return std::clamp(static_cast<int64_t>(share * static_cast<double>(count)),
                      int64_t{0}, static_cast<int64_t>(count) - 1);
  };
  for (size_t t = 0; t < looks.size(); ++t) {
    const SeenWindow& window = looks[t][0];
    if (!rows.empty() && !rows[0].empty()) {
      marks.push_back({within(window.y(), image.height, rows.size()),
                       within(window.x(), image.width, rows[0].size()),
                       MarkOfLook(t)});
    }
    list += fmt::format("  {:>2}  columns {} to {}, rows {} to {}\n", t + 1,
                        window.left + 1, window.left + window.side,
                        window.top + 1, window.top + window.side);
  }
  return terminal::Strong(terminal, VisibleToken(TitleOf(segment))) + '\n' +
         ThumbnailText(rows, 2, terminal, marks) +
         terminal::Quiet(terminal, "  looks, in pixels of the image") + '\n' +
         list;
}

}  // namespace

ExplanationView PathView() {
  ExplanationView view;
  view.name = "path";
  view.description = "where a model looked at an image, and what it saw there";
  view.refusal = [](const ExplanationSegment& segment, const ViewOptions&) {
    return HasLooks(ImageAxisOf(segment))
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
