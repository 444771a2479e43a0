// Connectivity as a picture.
#include <fmt/format.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/render/connectivity.h"
#include "heed/render/connectivity_layout.h"
#include "heed/render/drawing.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kColumnGap = 40;
constexpr double kRowGap = 26;
constexpr double kCharacterWidth = 9;
constexpr double kLineHeight = 22;
constexpr double kCharacterFont = 14;
constexpr double kNameFont = 15;
constexpr double kSuggestionFont = 12.5;
constexpr double kHeadingHeight = 34;  // of a moment
constexpr double kPanelTop = 44;       // name and suggestions
constexpr int64_t kLineCharacters = 64;
constexpr size_t kPanelsBeside = 2;
constexpr int kSuggestionColumns = 16;
constexpr float kFaintestShare = 0.01F;

constexpr std::string_view kMemoryStyle =
    R"(.heed .paper{fill:#fff}.heed .ink{fill:#0b4a94}.heed .letter{fill:#1c2228}
.heed .bold{fill:#101418;font-weight:600}.heed .calm{fill:#5b6570}
.heed .bright{fill:#fff}.heed .later{fill:#a9b2bd}
.heed .now{fill:none;stroke:#d9480f;stroke-width:2}.heed .hit{fill:#2b7a3d;font-weight:600}
@media (prefers-color-scheme:dark){
.heed .paper{fill:#10151d}.heed .ink{fill:#8ccbff}.heed .letter{fill:#d5dce6}
.heed .bold{fill:#f2f5f9}.heed .calm{fill:#93a0b0}
.heed .bright{fill:#06121f}.heed .later{fill:#4c5868}
.heed .now{stroke:#ff9f5a}.heed .hit{fill:#7ddc95}
}
)";

/// Text in a picture, where nothing may be wider than expected.
std::string MonospaceFamily() {
  return "ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans "
         "Mono\",monospace";
}

class MemoryPicture {
 public:
  MemoryPicture(std::span<const Connectivity> models,
                std::span<const int64_t> moments)
      : models_(models), moments_(moments) {
    for (const Connectivity& c : models) {
      for (const std::string& character : c.characters) {
        if (DisplayWidth(character) > 1) cell_ = 2 * kCharacterWidth;
      }
      const auto lines = TypedLines(c, kLineCharacters);
      panel_height_ =
          std::max(panel_height_,
                   kPanelTop + kLineHeight * static_cast<double>(lines.size()));
    }
    panel_width_ = cell_ * static_cast<double>(kLineCharacters);
  }

  std::string Draw() {
    const size_t beside =
        std::min(kPanelsBeside, std::max<size_t>(models_.size(), 1));
    const size_t rows = (models_.size() + beside - 1) / beside;
    const double moment_height =
        kHeadingHeight + static_cast<double>(rows) * (panel_height_ + kRowGap);
    const double width =
        2 * kPictureMargin - kColumnGap +
        static_cast<double>(beside) * (panel_width_ + kColumnGap);
    const double height = 2 * kPictureMargin - kRowGap +
                          moment_height * static_cast<double>(std::max<size_t>(
                                              moments_.size(), 1));
    svg_.Line(
        "<svg xmlns='http://www.w3.org/2000/svg' class='heed' width='{0:.0f}' "
        "height='{1:.0f}' viewBox='0 0 {0:.0f} {1:.0f}' role='img' "
        "aria-label='Connectivity of past characters to a guess'>",
        width, height);
    svg_.Line(
        "<style>.heed{{font-family:{}}}.heed .mono{{font-family:{}}}\n{}"
        "</style>",
        kFontFamily, MonospaceFamily(), kMemoryStyle);
    svg_.Line("<rect class='paper' width='100%' height='100%'/>");
    double y = kPictureMargin;
    for (const int64_t t : moments_) {
      DrawHeading(t, y);
      for (size_t i = 0; i < models_.size(); ++i) {
        const size_t row = i / beside;
        const size_t column = i % beside;
        DrawPanel(models_[i], t,
                  kPictureMargin +
                      static_cast<double>(column) * (panel_width_ + kColumnGap),
                  y + kHeadingHeight +
                      static_cast<double>(row) * (panel_height_ + kRowGap));
      }
      y += moment_height;
    }
    svg_.Line("</svg>");
    return svg_.Take();
  }

 private:
  void DrawHeading(int64_t t, double y) {
    const std::string label = GuessLabel(models_.front(), t);
    svg_.Line(
        "<text class='calm' x='{}' y='{:.1f}' font-size='{}'>Guessing "
        "<tspan class='bold'>{}</tspan>: shaded by how much each character "
        "counts for its score</text>",
        kPictureMargin, y + 14, kSuggestionFont, EscapeMarkup(label));
  }

  void DrawPanel(const Connectivity& c, int64_t t, double x, double y) {
    svg_.Line("<g transform='translate({:.1f} {:.1f})'>", x, y);
    svg_.Line("<text class='bold' y='12' font-size='{}'>{}</text>", kNameFont,
              EscapeMarkup(c.model));
    DrawSuggestions(c, t);
    svg_.Line(
        "<g class='mono' font-size='{}' text-anchor='middle' "
        "transform='translate(0 {})'>",
        kCharacterFont, kPanelTop);
    double top = 0;
    for (const TypedLine& line : TypedLines(c, kLineCharacters)) {
      for (int64_t s = line.begin; s < line.end; ++s) {
        DrawCharacter(c, t, s, cell_ * static_cast<double>(s - line.begin),
                      top);
      }
      top += kLineHeight;
    }
    svg_.Line("</g>\n</g>");
  }

  void DrawSuggestions(const Connectivity& c, int64_t t) {
    std::string parts;
    for (const Suggestion& s : c.suggestions[static_cast<size_t>(t)]) {
      const bool hit = s.word == c.words[static_cast<size_t>(t)];
      parts += fmt::format(
          "{}<tspan class='{}'>{}</tspan> {:.0f} %", parts.empty() ? "" : " · ",
          hit ? "hit" : "bold",
          EscapeMarkup(Ellipsize(VisibleToken(s.word), kSuggestionColumns)),
          100 * s.probability);
    }
    svg_.Line("<text class='calm' y='32' font-size='{}'>{}</text>",
              kSuggestionFont, parts);
  }

  void DrawCharacter(const Connectivity& c, int64_t t, int64_t s, double x,
                     double y) {
    const float share = s <= t ? c.Share(t, s) : 0;
    const double top = kLineHeight - 4;
    if (share >= kFaintestShare) {
      svg_.Line(
          "<rect class='ink' x='{:.1f}' y='{:.1f}' width='{}' height='{}' "
          "fill-opacity='{:.2f}'><title>{:.4g}</title></rect>",
          x, y, cell_, top, share, c.value(t, s));
    }
    if (s == t) {
      svg_.Line(
          "<rect class='now' x='{:.1f}' y='{:.1f}' width='{}' "
          "height='{}' rx='2'/>",
          x, y, cell_, top);
    }
    const std::string& character = c.characters[static_cast<size_t>(s)];
    if (character == " ") return;
    svg_.Line("<text class='{}' x='{:.1f}' y='{:.1f}'>{}</text>",
              s > t           ? "later"
              : share > 0.55F ? "bright"
                              : "letter",
              x + cell_ / 2, y + top - 4.5, EscapeMarkup(character));
  }

  std::span<const Connectivity> models_;
  std::span<const int64_t> moments_;
  double cell_ = kCharacterWidth;
  double panel_width_ = 0;
  double panel_height_ = 0;
  MarkupWriter svg_;
};

}  // namespace

std::string ConnectivitySvg(std::span<const Connectivity> models,
                            std::span<const int64_t> moments) {
  CheckSameText(models);
  for (const int64_t t : moments) {
    if (models.empty() || t < 0 || t >= models.front().size()) {
      throw ShapeError(fmt::format("connectivity: no character {}", t));
    }
  }
  return MemoryPicture(models, moments).Draw();
}

}  // namespace heed
