// Connectivity as an SVG picture.
#include <fmt/format.h>

#include <algorithm>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/render/connectivity.h"
#include "heed/render/connectivity_layout.h"
#include "heed/render/drawing.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kGuessGap = 32;
constexpr double kCharacterWidth = 9;
constexpr double kLineHeight = 22;
constexpr double kCharacterFont = 14;
constexpr double kSuggestionFont = 12;
constexpr double kPanelTop = 44;  // name and suggestions
constexpr int64_t kLineCharacters = 64;
constexpr double kPanelsBeside = 2;
constexpr int kSuggestionColumns = 16;
constexpr float kFaintestShare = 0.01F;
constexpr std::string_view kMonospace =
    "ui-monospace,SFMono-Regular,Menlo,Consolas,&quot;DejaVu Sans "
    "Mono&quot;,monospace";

/// Cell width of a character, for all texts.
double CellWidth(std::span<const Connectivity> models) {
  for (const Connectivity& c : models) {
    for (const std::string& character : c.characters) {
      if (DisplayWidth(character) > 1) return 2 * kCharacterWidth;
    }
  }
  return kCharacterWidth;
}

std::string SuggestionsOf(const Connectivity& c, int64_t t) {
  std::string parts;
  for (const Suggestion& s : At(c.suggestions, t)) {
    const bool hit = s.word == At(c.words, t);
    parts += fmt::format(
        "{}<tspan class='{}'>{}</tspan> {:.0f} %", parts.empty() ? "" : " · ",
        hit ? "hit" : "title",
        EscapeMarkup(Ellipsize(VisibleToken(s.word), kSuggestionColumns)),
        100 * s.probability);
  }
  return parts;
}

/// Draws character s of a prediction after character t.
void AddCharacter(const Connectivity& c, int64_t t, int64_t s, double x,
                  double y, double width, MarkupWriter* svg) {
  const float share = s <= t ? c.Share(t, s) : 0;
  const double height = kLineHeight - 4;
  if (share >= kFaintestShare) {
    svg->Line(
        "<rect class='cell' x='{:.1f}' y='{:.1f}' width='{}' height='{}' "
        "fill-opacity='{:.2f}'><title>{:.4g}</title></rect>",
        x, y, width, height, share, c.value(t, s));
  }
  if (s == t) {
    svg->Line(
        "<rect class='linked' x='{:.1f}' y='{:.1f}' width='{}' height='{}' "
        "rx='2'/>",
        x, y, width, height);
  }
  const std::string& character = At(c.characters, s);
  if (character == " ") return;
  svg->Line("<text class='{}' x='{:.1f}' y='{:.1f}'>{}</text>",
            s > t           ? "later"
            : share > 0.55F ? "on"
                            : "token",
            x + width / 2, y + height - 4.5, EscapeMarkup(character));
}

/// Draws the prediction of one model after character t with its connectivity.
Drawing DrawGuess(const Connectivity& c, int64_t t, double cell) {
  MarkupWriter svg;
  svg.Line("<text class='title' y='12' font-size='15'>{}</text>",
           EscapeMarkup(c.model));
  svg.Line("<text class='quiet' y='32' font-size='{}'>{}</text>",
           kSuggestionFont, SuggestionsOf(c, t));
  svg.Line("<g font-family='{}' font-size='{}' text-anchor='middle'>",
           kMonospace, kCharacterFont);
  double y = kPanelTop;
  for (const TypedLine& line : TypedLines(c, kLineCharacters)) {
    for (int64_t s = line.begin; s < line.end; ++s) {
      AddCharacter(c, t, s, cell * static_cast<double>(s - line.begin), y, cell,
                   &svg);
    }
    y += kLineHeight;
  }
  svg.Line("</g>");
  return {cell * static_cast<double>(kLineCharacters), y, svg.Take()};
}

}  // namespace

std::string ConnectivitySvg(std::span<const Connectivity> models,
                            std::span<const int64_t> moments) {
  CheckSameText(models);
  const double cell = CellWidth(models);
  std::vector<Drawing> parts;
  for (const int64_t t : moments) {
    if (models.empty() || t < 0 || t >= models.front().size()) {
      throw ShapeError("connectivity: no character {}", t);
    }
    parts.push_back(DrawHeading(
        fmt::format("Guessing {}: shaded by how much each character counts for "
                    "its score",
                    GuessLabel(models.front(), t)),
        3));
    std::vector<Drawing> guesses;
    for (const Connectivity& c : models) {
      guesses.push_back(DrawGuess(c, t, cell));
    }
    const double beside = guesses.front().width + kGuessGap;
    parts.push_back(FlowDrawings(guesses, kPanelsBeside * beside, kGuessGap));
  }
  const Drawing all = StackDrawings(parts, kGuessGap);
  return SvgPicture({&all, 1},
                    {.label = "Connectivity of past characters to a guess"});
}

}  // namespace heed
