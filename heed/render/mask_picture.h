// Who may attend to whom, as squares.
#ifndef HEED_RENDER_MASK_PICTURE_H_
#define HEED_RENDER_MASK_PICTURE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/render/terminal.h"

namespace heed {

/// A mask for so many queries and keys. Shapes: may [size, size], row-major:
/// whether query t may attend to key s.
struct MaskPattern {
  std::string name;     ///< "window(4)"
  std::string formula;  ///< "|s − t| ≤ 2"; none: empty
  std::string source;   ///< its paper; none: empty
  int64_t size = 0;
  std::vector<bool> may;

  /// Range: 0 ≤ t, s < size.
  bool May(int64_t t, int64_t s) const {
    return may[static_cast<size_t>(t * size + s)];
  }
  /// Pairs that may.
  int64_t count() const;
};

/// A square for each, rows the queries. Throws: ShapeError unless every pattern
/// has as many entries as its size says.
std::string MasksSvg(std::span<const MaskPattern> patterns);

/// The same in characters, several beside each other where they fit.
std::string MasksText(std::span<const MaskPattern> patterns,
                      const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_MASK_PICTURE_H_
