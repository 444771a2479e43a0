#include "heed/render/shades_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

// Nearly black over blue to white; readable on dark and light terminals,
// because every cell sets its own background.
constexpr std::array<int, 10> kBlueRamp = {234, 237, 24,  25,  32,
                                           39,  75,  117, 153, 231};
constexpr std::array<std::string_view, 5> kShades = {"·", "░", "▒", "▓", "█"};
// Backgrounds of words on the terminal's own background: they vary in vividness
// instead of lightness, and all are dark enough for white letters.
constexpr std::array<int, 3> kBlueGrounds = {67, 32, 27};
constexpr std::array<int, 3> kOrangeGrounds = {137, 172, 202};
constexpr int kWhite = 231;
constexpr float kPlainNumberFrom = 0.1f;

size_t RampLevel(float weight) {
  const float bounded = std::isnan(weight) ? 0 : std::clamp(weight, 0.0f, 1.0f);
  return static_cast<size_t>(bounded * (kBlueRamp.size() - 1) + 0.5f);
}

std::string ShadeCell(float weight, int columns) {
  constexpr std::array<float, 4> kThresholds = {0.05f, 0.3f, 0.55f, 0.8f};
  const auto level = static_cast<size_t>(
      std::ranges::upper_bound(kThresholds, weight) - kThresholds.begin());
  if (level == 0) return Pad(kShades[0], columns, Align::kCentre);
  std::string cell;
  for (int i = 0; i < columns; ++i) cell += kShades[level];
  return cell;
}

std::string ShadedWord(const std::string& word, float value, bool colour,
                       float factor) {
  const float size = std::abs(value * factor);
  if (!colour) {
    return size >= kPlainNumberFrom ? fmt::format("{}({:.2f})", word, value)
                                    : word;
  }
  constexpr std::array<float, 4> kThresholds = {0.07f, 0.2f, 0.45f, 0.7f};
  const auto level = static_cast<size_t>(
      std::ranges::upper_bound(kThresholds, size) - kThresholds.begin());
  const auto& grounds = value < 0 ? kOrangeGrounds : kBlueGrounds;
  if (level == 0 || std::isnan(value)) return word;
  if (level == 1) return terminal::Foreground(grounds[1], word);
  return terminal::Background(grounds[level - 2],
                              terminal::Foreground(kWhite, word));
}

/// Distance of two colours, squared.
int Distance(std::span<const uint8_t> a, const std::array<int, 3>& b) {
  int sum = 0;
  for (size_t c = 0; c < b.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

/// Closest colour to an RGB colour among the cube of 6 × 6 × 6 colours, from 16
/// on, and the 24 greys of the palette, from 232 on.
int PaletteColour(std::span<const uint8_t> rgb) {
  constexpr std::array<int, 6> kLevels = {0, 95, 135, 175, 215, 255};
  int code = 0;
  std::array<int, 3> cube = {};
  for (size_t c = 0; c < cube.size(); ++c) {
    const int level = rgb[c] < 48 ? 0 : rgb[c] < 115 ? 1 : (rgb[c] - 35) / 40;
    code = 6 * code + level;
    cube[c] = kLevels[static_cast<size_t>(level)];
  }
  const int mean = (rgb[0] + rgb[1] + rgb[2]) / 3;
  const int grey = std::clamp((mean - 3) / 10, 0, 23);
  const int lightness = 8 + 10 * grey;
  return Distance(rgb, {lightness, lightness, lightness}) < Distance(rgb, cube)
             ? 232 + grey
             : 16 + code;
}

std::string HalfCells(int upper, int lower) {
  return terminal::Background(lower, terminal::Foreground(upper, "▀"));
}

}  // namespace

std::string TerminalCell(float weight, int columns, bool colour) {
  if (!colour) return ShadeCell(weight, columns);
  return terminal::Background(kBlueRamp[RampLevel(weight)],
                              std::string(static_cast<size_t>(columns), ' '));
}

std::string TerminalScale(bool colour) {
  std::string scale;
  if (colour) {
    for (int code : kBlueRamp) scale += terminal::Background(code, " ");
  } else {
    for (std::string_view shade : kShades) scale += shade;
  }
  return scale;
}

std::string TerminalHalfCells(float upper, float lower) {
  return HalfCells(kBlueRamp[RampLevel(upper)], kBlueRamp[RampLevel(lower)]);
}

std::string TerminalHalfCells(std::span<const uint8_t> upper,
                              std::span<const uint8_t> lower) {
  return HalfCells(PaletteColour(upper), PaletteColour(lower));
}

std::string TerminalWords(std::span<const std::string> tokens,
                          std::span<const float> values, int indent,
                          const TerminalOptions& options, float factor) {
  if (tokens.size() != values.size()) {
    throw ShapeError("terminal words: {} values for {} tokens", values.size(),
                     tokens.size());
  }
  const std::string margin(static_cast<size_t>(indent), ' ');
  const int room = std::max(options.width - indent, 8);
  std::string out;
  int used = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    constexpr int kNumberColumns = 7;  // "(-0.52)"
    const std::string word = Ellipsize(
        VisibleToken(tokens[i]), options.colour ? room : room - kNumberColumns);
    const bool numbered =
        !options.colour && std::abs(values[i] * factor) >= kPlainNumberFrom;
    const int width =
        DisplayWidth(word) +
        (numbered ? values[i] < 0 ? kNumberColumns : kNumberColumns - 1 : 0);
    const bool breaks = used > 0 && used + 1 + width > room;
    if (used == 0 || breaks) {
      if (breaks) out += '\n';
      out += margin;
      used = 0;
    } else {
      out += ' ';
      ++used;
    }
    out += ShadedWord(word, values[i], options.colour, factor);
    used += width;
  }
  return out.empty() ? out : out + '\n';
}

}  // namespace heed
