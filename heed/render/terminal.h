// What the terminal can show, and colours for it.
#ifndef HEED_RENDER_TERMINAL_H_
#define HEED_RENDER_TERMINAL_H_

#include <string>
#include <string_view>

namespace heed {

struct TerminalOptions {
  bool colour = false;
  int width = 80;  ///< columns; no line is longer
};

/// Whether the output `descriptor` (1: standard output, 2: standard error)
/// shows colours: it is a terminal, TERM is not "dumb" and NO_COLOR is not set.
/// FORCE_COLOR other than "0" means yes in any case.
bool TerminalHasColour(int descriptor = 1);

/// Columns of the terminal of `descriptor`; COLUMNS or else 80 without one.
int TerminalWidth(int descriptor = 1);

/// Options for `descriptor` as it is now.
TerminalOptions DetectTerminal(int descriptor = 1);

namespace terminal {
/// `text` in a colour of the 256-colour palette.
std::string Foreground(int colour, std::string_view text);
std::string Background(int colour, std::string_view text);
std::string Bold(std::string_view text);
/// `text` in the terminal's quieter shade, for what only accompanies.
std::string Dim(std::string_view text);
/// Bold or Dim, where there are colours.
std::string Strong(const TerminalOptions& terminal, const std::string& text);
std::string Quiet(const TerminalOptions& terminal, const std::string& text);
}  // namespace terminal

}  // namespace heed

#endif  // HEED_RENDER_TERMINAL_H_
