#include "heed/render/dot_canvas.h"

#include "heed/base/at.h"
#include "heed/render/terminal.h"

namespace heed {

void DotCanvas::Dot(int x, int y, int colour) {
  // Bits of U+2800 by row and column of the dot.
  constexpr uint8_t kBits[4][2] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  Cell& cell = At(x / 2, y / 4);
  cell.dots = static_cast<uint8_t>(cell.dots | kBits[y % 4][x % 2]);
  cell.colour = colour;
}

void DotCanvas::Mark(int x, int y, std::string_view glyph, int colour) {
  Cell& cell = At(x / 2, y / 4);
  cell.glyph = glyph;
  cell.colour = colour;
}

std::string DotCanvas::Row(int row, bool colour) const {
  std::string out;
  for (int column = 0; column < columns_; ++column) {
    const Cell& cell = heed::At(cells_, row * columns_ + column);
    std::string text = " ";
    if (!cell.glyph.empty()) {
      text = cell.glyph;
    } else if (cell.dots != 0) {
      text = {'\xE2', static_cast<char>(0xA0 + (cell.dots >> 6)),
              static_cast<char>(0x80 + (cell.dots & 0x3F))};
    }
    out += colour && cell.colour >= 0 ? terminal::Foreground(cell.colour, text)
                                      : text;
  }
  return out;
}

}  // namespace heed
