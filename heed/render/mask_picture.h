// Pictures of attention masks.
#ifndef HEED_RENDER_MASK_PICTURE_H_
#define HEED_RENDER_MASK_PICTURE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/render/terminal.h"

namespace heed {

/// A mask for `size` queries and keys. Shapes: may [size, size], row-major:
/// true if query t may attend to key s.
struct MaskPattern {
  std::string name;     ///< "window(4)"
  std::string formula;  ///< "|s − t| ≤ 2"; optional
  std::string source;   ///< paper; optional
  int64_t size = 0;
  std::vector<bool> may;

  /// True if query t may attend to key s. Range: 0 ≤ t, s < size.
  bool May(int64_t t, int64_t s) const {
    return may[static_cast<size_t>(t * size + s)];
  }
  /// Number of allowed pairs.
  int64_t count() const;
};

/// SVG picture with a square for each mask; rows are queries. Throws:
/// ShapeError unless every pattern has size² entries.
std::string MasksSvg(std::span<const MaskPattern> patterns);

/// Masks as characters, several side by side if they fit.
std::string MasksText(std::span<const MaskPattern> patterns,
                      const TerminalOptions& terminal);

}  // namespace heed

#endif  // HEED_RENDER_MASK_PICTURE_H_
