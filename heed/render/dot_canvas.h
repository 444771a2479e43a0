// Canvas of braille characters with two by four dots each.
#ifndef HEED_RENDER_DOT_CANVAS_H_
#define HEED_RENDER_DOT_CANVAS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// A grid of characters, each with a colour of the 256-colour palette (-1:
/// none). A later dot or mark replaces the colour of its character.
class DotCanvas {
 public:
  DotCanvas(int columns, int rows)
      : columns_(columns),
        rows_(rows),
        cells_(static_cast<size_t>(columns) * static_cast<size_t>(rows)) {}

  int rows() const { return rows_; }
  int dots_across() const { return columns_ * 2; }
  int dots_down() const { return rows_ * 4; }

  /// Sets a dot. Range: 0 <= x < dots_across(), 0 <= y < dots_down().
  void Dot(int x, int y, int colour);
  /// Replaces the dots of a character by `glyph`, which must outlive the
  /// canvas.
  void Mark(int x, int y, std::string_view glyph, int colour);

  std::string Row(int row, bool colour) const;

 private:
  struct Cell {
    std::string_view glyph;
    uint8_t dots = 0;
    int colour = -1;
  };
  Cell& At(int column, int row) {
    return cells_[static_cast<size_t>(row * columns_ + column)];
  }

  int columns_;
  int rows_;
  std::vector<Cell> cells_;
};

}  // namespace heed

#endif  // HEED_RENDER_DOT_CANVAS_H_
