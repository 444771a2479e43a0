// Terminal capabilities and colours.
#ifndef HEED_RENDER_TERMINAL_H_
#define HEED_RENDER_TERMINAL_H_

#include <string>
#include <string_view>

namespace heed {

struct TerminalOptions {
  bool colour = false;
  int width = 80;  ///< maximum length of lines in columns
};

/// True if the output `descriptor` (1: standard output, 2: standard error)
/// supports colours: it is a terminal, TERM is not "dumb" and NO_COLOR is not
/// set. FORCE_COLOR other than "0" always enables colours.
bool TerminalHasColour(int descriptor = 1);

/// Columns of the terminal of `descriptor`; without a terminal COLUMNS, else
/// 80.
int TerminalWidth(int descriptor = 1);

/// Current options of `descriptor`.
TerminalOptions DetectTerminal(int descriptor = 1);

namespace terminal {
/// `text` in a colour of the 256-colour palette.
std::string Foreground(int colour, std::string_view text);
std::string Background(int colour, std::string_view text);
std::string Bold(std::string_view text);
/// `text` in a dimmed shade, for secondary text.
std::string Dim(std::string_view text);
/// Bold (Strong) or Dim (Quiet) if the terminal has colours.
std::string Strong(const TerminalOptions& terminal, const std::string& text);
std::string Quiet(const TerminalOptions& terminal, const std::string& text);
}  // namespace terminal

}  // namespace heed

#endif  // HEED_RENDER_TERMINAL_H_
