#include "heed/render/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace heed {
namespace {

constexpr int kDefaultWidth = 80;
constexpr int kNarrowest = 20;

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

bool TerminalHasColour(int descriptor) {
  const std::string_view force = Environment("FORCE_COLOR");
  if (!force.empty()) return force != "0";
  if (!Environment("NO_COLOR").empty()) return false;
  const std::string_view term = Environment("TERM");
  return isatty(descriptor) == 1 && !term.empty() && term != "dumb";
}

int TerminalWidth(int descriptor) {
  winsize size = {};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::max<int>(size.ws_col, kNarrowest);
  }
  const char* columns = std::getenv("COLUMNS");
  const long width = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  return width < kNarrowest || width > 10000 ? kDefaultWidth
                                             : static_cast<int>(width);
}

TerminalOptions DetectTerminal(int descriptor) {
  return {.colour = TerminalHasColour(descriptor),
          .width = TerminalWidth(descriptor)};
}

namespace terminal {

std::string Foreground(int colour, std::string_view text) {
  return fmt::format("\x1b[38;5;{}m{}\x1b[0m", colour, text);
}

std::string Background(int colour, std::string_view text) {
  return fmt::format("\x1b[48;5;{}m{}\x1b[0m", colour, text);
}

std::string Bold(std::string_view text) {
  return fmt::format("\x1b[1m{}\x1b[0m", text);
}

std::string Dim(std::string_view text) {
  return fmt::format("\x1b[2m{}\x1b[0m", text);
}

std::string Strong(const TerminalOptions& terminal, const std::string& text) {
  return terminal.colour ? Bold(text) : text;
}

std::string Quiet(const TerminalOptions& terminal, const std::string& text) {
  return terminal.colour ? Dim(text) : text;
}

}  // namespace terminal
}  // namespace heed
