#include "heed/render/mask_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/render/drawing.h"
#include "heed/render/markup.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr double kMaskSide = 192;  // minimum side of a square
constexpr double kSmallestMaskCell = 6;
constexpr double kMaskLeft = 22;  // space for "query"
constexpr double kMaskTop = 62;   // space for two lines and "key"
constexpr int kMaskGap = 4;       // columns between masks in a terminal

void CheckPattern(const MaskPattern& p) {
  if (p.size > 0 && std::ssize(p.may) == p.size * p.size) return;
  throw ShapeError("mask '{}': {} entries for {} positions", p.name,
                   p.may.size(), p.size);
}

std::string CountOf(const MaskPattern& p) {
  return fmt::format("{} of {} pairs", p.count(), p.size * p.size);
}

std::string MaskCaption(const MaskPattern& p) {
  return p.formula.empty() ? CountOf(p)
                           : fmt::format("{} · {}", p.formula, CountOf(p));
}

/// Caption without its last word.
std::string ShortCaption(const MaskPattern& p) {
  const std::string caption = MaskCaption(p);
  return caption.substr(0, caption.rfind(' '));
}

Drawing DrawMask(const MaskPattern& p) {
  const auto size = static_cast<double>(p.size);
  const double cell = std::max(kSmallestMaskCell, kMaskSide / size);
  const double gap = cell > 10 ? 1 : 0.5;
  MarkupWriter svg;
  svg.Line("<text class='title' y='14' font-size='14'>{}</text>",
           EscapeMarkup(p.name));
  svg.Line("<text class='quiet' y='32' font-size='11'>{}</text>",
           EscapeMarkup(MaskCaption(p)));
  svg.Line(
      "<text class='quiet' x='{}' y='{}' font-size='10'>key s →</text>"
      "<text class='quiet' font-size='10' text-anchor='end' "
      "transform='translate({} {}) rotate(-90)'>query t →</text>",
      kMaskLeft, kMaskTop - 8, kMaskLeft - 9, kMaskTop);
  for (const bool may : {false, true}) {
    std::string squares;
    for (int64_t t = 0; t < p.size; ++t) {
      for (int64_t s = 0; s < p.size; ++s) {
        if (p.May(t, s) != may) continue;
        squares += fmt::format("M{:.4g} {:.4g}h{:.4g}v{:.4g}h-{:.4g}z",
                               kMaskLeft + cell * static_cast<double>(s),
                               kMaskTop + cell * static_cast<double>(t),
                               cell - gap, cell - gap, cell - gap);
      }
    }
    svg.Line("<path class='{}' d='{}'/>", may ? "cell" : "field", squares);
  }
  const double widest =
      std::max({kMaskLeft + cell * size, TextWidth(p.name, 14),
                TextWidth(MaskCaption(p), 11)});
  return {widest, kMaskTop + cell * size, svg.Take()};
}

/// Lines of one mask, each `width` columns wide.
std::vector<std::string> MaskLines(const MaskPattern& p, int width,
                                   const TerminalOptions& terminal) {
  std::vector<std::string> lines = {
      terminal::Strong(terminal, Pad(p.name, width)),
      terminal::Quiet(terminal, Pad(ShortCaption(p), width))};
  for (int64_t t = 0; t < p.size; ++t) {
    std::string line;
    for (int64_t s = 0; s < p.size; ++s) line += p.May(t, s) ? "■ " : "· ";
    lines.push_back(Pad(line, width));
  }
  return lines;
}

}  // namespace

int64_t MaskPattern::count() const { return std::ranges::count(may, true); }

std::string MasksSvg(std::span<const MaskPattern> patterns) {
  std::vector<Drawing> drawings;
  for (const MaskPattern& p : patterns) {
    CheckPattern(p);
    drawings.push_back(DrawMask(p));
  }
  return SvgPicture(SameWidth(std::move(drawings)),
                    {.label = "Who may attend to whom"});
}

std::string MasksText(std::span<const MaskPattern> patterns,
                      const TerminalOptions& terminal) {
  int width = 0;
  for (const MaskPattern& p : patterns) {
    CheckPattern(p);
    const int texts =
        std::max(DisplayWidth(p.name), DisplayWidth(ShortCaption(p)));
    width = std::max(
        {width, static_cast<int>(2 * p.size), std::min(texts, terminal.width)});
  }
  const size_t beside = static_cast<size_t>(
      std::max(1, (terminal.width + kMaskGap) / (width + kMaskGap)));
  std::string out;
  for (size_t first = 0; first < patterns.size(); first += beside) {
    const size_t count = std::min(beside, patterns.size() - first);
    std::vector<std::vector<std::string>> blocks;
    size_t height = 0;
    for (size_t i = 0; i < count; ++i) {
      blocks.push_back(MaskLines(patterns[first + i], width, terminal));
      height = std::max(height, blocks.back().size());
    }
    if (first > 0) out += '\n';
    for (size_t line = 0; line < height; ++line) {
      for (size_t i = 0; i < count; ++i) {
        if (i > 0) out += std::string(static_cast<size_t>(kMaskGap), ' ');
        out += line < blocks[i].size()
                   ? blocks[i][line]
                   : std::string(static_cast<size_t>(width), ' ');
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace heed
