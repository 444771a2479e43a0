#include "heed/render/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "heed/base/at.h"
#include "heed/base/digest.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kLegendHeight = 52;
constexpr double kLegendWidth = 160;
constexpr double kLegendText = 290;  // text beside the legend

constexpr std::string_view kPictureColours =
    R"(.heed .paper{fill:#fff}.heed .field{fill:#edf1f6}
.heed .grid{stroke:#fff;fill:none}.heed .cell{fill:#0b4a94}
.heed .minus{fill:#c74e06}.heed .minus-tone{stop-color:#c74e06}
.heed .tone{stop-color:#0b4a94}.heed .token{fill:#24292f}
.heed .title{fill:#101418;font-weight:600}.heed .quiet{fill:#5b6570}
.heed .on{fill:#fff}.heed .token .space{fill:#b3bcc7}.heed .now{fill:#0b4a94;font-weight:600}
.heed .link{fill:none;stroke:#0b4a94}.heed .later{fill:#a9b2bd}
.heed .hit{fill:#2b7a3d;font-weight:600}
.heed .rule{fill:none;stroke:#d5dbe3}.heed .hatch{fill:none;stroke:#b3bcc7}
.heed .moved,.heed .linked{fill:none;stroke:#d9480f;stroke-width:2}
@media (prefers-color-scheme:dark){
.heed .paper{fill:#10151d}.heed .field{fill:#1b2431}
.heed .grid{stroke:#10151d}.heed .cell{fill:#8ccbff}
.heed .minus{fill:#ff9a57}.heed .minus-tone{stop-color:#ff9a57}
.heed .tone{stop-color:#8ccbff}.heed .token{fill:#d5dce6}
.heed .title{fill:#f2f5f9}.heed .quiet{fill:#93a0b0}
.heed .on{fill:#06121f}.heed .token .space{fill:#5a687a}.heed .now{fill:#8ccbff}
.heed .link{stroke:#8ccbff}.heed .later{fill:#4c5868}.heed .hit{fill:#7ddc95}
.heed .rule{stroke:#2b3646}.heed .hatch{stroke:#465365}
.heed .moved,.heed .linked{stroke:#ff9f5a}
}
)";

/// Replaces repeated images of `svg` by references to the first one. Ids are
/// digests of the contents, so that several pictures can share a page.
std::string WithImagesOnce(std::string_view svg) {
  constexpr std::string_view kImage = "<image ";
  std::set<uint64_t> known;
  std::string out;
  for (;;) {
    const size_t begin = svg.find(kImage);
    if (begin == svg.npos) return out.append(svg);
    out += svg.substr(0, begin);
    svg.remove_prefix(begin + kImage.size());
    const size_t end = svg.find("/>");
    const std::string_view image = svg.substr(0, end);
    const uint64_t digest = Digest(image);
    out += known.insert(digest).second
               ? fmt::format("<image id='image-{:x}' {}/>", digest, image)
               : fmt::format("<use href='#image-{:x}'/>", digest);
    svg.remove_prefix(end + 2);
  }
}

void Place(const Drawing& drawing, double x, double y, MarkupWriter* svg) {
  svg->Line("<g transform='translate({:.1f} {:.1f})'>\n{}</g>", x, y,
            drawing.svg);
}

void AddLegend(const PictureLegend& legend, bool outlined, double x, double y,
               MarkupWriter* svg) {
  const bool with_sign = legend.kind == PictureLegend::kSigned;
  const bool sizes = legend.kind == PictureLegend::kMagnitudes;
  const std::string scale =
      sizes              ? "each row of a method divided by its largest"
      : legend.full == 0 ? "each row by its largest weight"
      : legend.full < 1  ? "attention weight, up to the largest of the picture"
                         : "attention weight";
  svg->Line("<g transform='translate({:.1f} {:.1f})' font-size='11'>", x, y);
  svg->Line(
      "<linearGradient id='heed-scale'>{}<stop class='tone' offset='{}' "
      "stop-opacity='0'/><stop class='tone' offset='1'/></linearGradient>",
      with_sign ? "<stop class='minus-tone' offset='0'/><stop "
                  "class='minus-tone' offset='0.5' stop-opacity='0'/>"
                : "",
      with_sign ? "0.5" : "0");
  svg->Line(
      "<rect class='field' width='{0}' height='10' rx='2'/>"
      "<rect width='{0}' height='10' rx='2' fill='url(#heed-scale)'/>",
      kLegendWidth);
  svg->Line(
      "<text class='quiet' y='25'>{}</text>"
      "<text class='quiet' x='{}' y='25' text-anchor='middle'>{}</text>"
      "<text class='quiet' x='{}' y='25' text-anchor='end'>{}</text>",
      with_sign ? "against" : "0", kLegendWidth / 2, with_sign ? "0" : "",
      kLegendWidth,
      with_sign                   ? "for"
      : sizes || legend.full == 0 ? std::string("largest")
                                  : fmt::format("{:.2g}", legend.full));
  svg->Line("<text class='quiet' x='{}' y='9'>{}</text>", kLegendWidth + 10,
            with_sign ? "each row of a method divided by its largest magnitude"
                      : scale);
  if (outlined) {
    svg->Line(
        "<rect class='moved sample' x='{}' y='17' width='12' height='9' "
        "rx='2'/>"
        "<text class='quiet' x='{}' y='25'>words that changed their "
        "place</text>",
        kLegendWidth + 10, kLegendWidth + 28);
  }
  svg->Line("</g>");
}

}  // namespace

Drawing FlowDrawings(std::span<const Drawing> drawings, double width,
                     double gap) {
  Drawing flow;
  MarkupWriter svg;
  double x = 0;
  double y = 0;
  for (const Drawing& drawing : drawings) {
    if (x > 0 && x + drawing.width > width) {
      x = 0;
      y = flow.height + gap;
    }
    Place(drawing, x, y, &svg);
    flow.width = std::max(flow.width, x + drawing.width);
    flow.height = std::max(flow.height, y + drawing.height);
    x += drawing.width + gap;
  }
  flow.svg = svg.Take();
  return flow;
}

std::vector<Drawing> SameWidth(std::vector<Drawing> drawings) {
  double widest = 0;
  for (const Drawing& drawing : drawings) {
    widest = std::max(widest, drawing.width);
  }
  for (Drawing& drawing : drawings) drawing.width = widest;
  return drawings;
}

Drawing StackDrawings(std::span<const Drawing> drawings, double gap) {
  return FlowDrawings(drawings, 0, gap);
}

Drawing DrawHeading(std::string_view text, int level) {
  constexpr std::array<double, 3> kFonts = {17, 15, 12};
  const double font = At(kFonts, level - 1);
  const auto columns = static_cast<int>(kPictureWidth / TextWidth("m", font));
  const std::string shown = Ellipsize(VisibleToken(text), columns);
  const std::string_view style = level == 3 ? "quiet" : "title";
  return {TextWidth(shown, font), font * 1.2,
          fmt::format("<text class='{}' y='{:.1f}' font-size='{}'>{}</text>\n",
                      style, font, font, EscapeMarkup(shown))};
}

std::string SvgPicture(std::span<const Drawing> drawings,
                       const PictureOptions& options) {
  const Drawing flow = FlowDrawings(drawings, kPictureWidth, kPictureGap);
  const bool legend = options.legend.kind != PictureLegend::kNone;
  const double margin = kPictureMargin;
  const double inner =
      legend ? std::max(flow.width, kLegendWidth + kLegendText) : flow.width;
  MarkupWriter svg;
  svg.Line(
      "<svg xmlns='http://www.w3.org/2000/svg' class='heed' width='{0:.0f}' "
      "height='{1:.0f}' viewBox='0 0 {0:.0f} {1:.0f}' role='img' "
      "aria-label='{2}'>",
      inner + 2 * margin,
      flow.height + (legend ? kLegendHeight : 0) + 2 * margin,
      EscapeMarkup(options.label));
  svg.Line("<style>\n.heed{{font-family:{}}}\n{}</style>", kFontFamily,
           kPictureColours);
  svg.Line("<rect class='paper' width='100%' height='100%'/>");
  Place(flow, margin, margin, &svg);
  if (legend) {
    const bool outlined = flow.svg.find("class='moved'") != std::string::npos;
    AddLegend(options.legend, outlined, margin, margin + flow.height + 30,
              &svg);
  }
  svg.Line("</svg>");
  return WithImagesOnce(svg.Take());
}

}  // namespace heed
