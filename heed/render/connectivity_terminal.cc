// Connectivity in a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heed/base/at.h"
#include "heed/render/connectivity.h"
#include "heed/render/connectivity_layout.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int kMarginColumns = 2;
constexpr int64_t kMaxTerminalCharacters = 100;
// From the terminal's background colour over blue to white.
constexpr std::array<int, 8> kMemoryRamp = {0, 17, 18, 25, 32, 75, 153, 231};
constexpr size_t kDarkTextFrom = 5;  // index in the ramp
constexpr int kDarkText = 16;
constexpr int kLightText = 255;
constexpr std::array<std::string_view, 5> kMemoryMarks = {" ", "·", "░", "▒",
                                                          "█"};

size_t MemoryLevel(float share, size_t levels) {
  return static_cast<size_t>(share * static_cast<float>(levels - 1) + 0.5F);
}

std::string ColouredCharacter(const std::string& character, float share,
                              bool current) {
  const size_t level = MemoryLevel(share, kMemoryRamp.size());
  if (current) return fmt::format("\x1b[1;7m{}\x1b[0m", character);
  if (level == 0) return character;
  return fmt::format("\x1b[38;5;{};48;5;{}m{}\x1b[0m",
                     level >= kDarkTextFrom ? kDarkText : kLightText,
                     kMemoryRamp[level], character);
}

}  // namespace

std::string TerminalConnectivity(const Connectivity& c, int64_t t,
                                 const TerminalOptions& terminal) {
  CheckConnectivity(c);
  const std::string margin(kMarginColumns, ' ');
  std::string out = terminal::Strong(terminal, VisibleToken(c.model));
  out += fmt::format("  guesses {}:", VisibleToken(GuessLabel(c, t)));
  for (const Suggestion& s : At(c.suggestions, t)) {
    out +=
        fmt::format("  {} {:.0f} %", VisibleToken(s.word), 100 * s.probability);
  }
  out = Ellipsize(out, terminal.width) + "\n";
  const auto columns = std::min<int64_t>(terminal.width - kMarginColumns,
                                         kMaxTerminalCharacters);
  for (const TypedLine& line : TypedLines(c, std::max<int64_t>(columns, 1))) {
    std::string text = margin;
    std::string marks = margin;
    for (int64_t s = line.begin; s < line.end; ++s) {
      const std::string& token = At(c.characters, s);
      const std::string character = token == " " ? " " : VisibleToken(token);
      const float share = s <= t ? c.Share(t, s) : 0;
      if (terminal.colour) {
        text += s > t ? terminal::Dim(character)
                      : ColouredCharacter(character, share, s == t);
      } else {
        text += character;
        marks += s == t ? "^"
                        : kMemoryMarks[MemoryLevel(share, kMemoryMarks.size())];
      }
    }
    out += text + "\n";
    if (!terminal.colour) out += marks + "\n";
  }
  return out;
}

}  // namespace heed
