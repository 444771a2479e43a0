// Parts of SVG pictures and their layout.
#ifndef HEED_RENDER_DRAWING_H_
#define HEED_RENDER_DRAWING_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// SVG elements with their own coordinates from (0, 0) to (width, height).
struct Drawing {
  double width = 0;
  double height = 0;
  std::string svg;
};

/// Arranges drawings from left to right in rows of at most `width` (at least
/// one per row), `gap` apart.
Drawing FlowDrawings(std::span<const Drawing> drawings, double width,
                     double gap);

/// Makes all drawings as wide as the widest one, so that FlowDrawings aligns
/// them in columns.
std::vector<Drawing> SameWidth(std::vector<Drawing> drawings);

/// Arranges drawings below each other.
Drawing StackDrawings(std::span<const Drawing> drawings, double gap);

/// A heading; `level` 1 for a picture, 2 for its parts, 3 for notes.
Drawing DrawHeading(std::string_view text, int level);

/// Legend of a picture's shades.
struct PictureLegend {
  /// kMagnitudes: attributions without negative values.
  enum Kind : uint8_t { kNone, kWeights, kSigned, kMagnitudes };
  Kind kind = kNone;
  /// Weight of the full shade (see ViewOptions); 0: the largest of each row.
  double full = 1;
};

struct PictureOptions {
  std::string label;  ///< description for screen readers
  PictureLegend legend = {};
};

/// Complete SVG document with `drawings` flowing over a page of usual width.
/// Follows the reader's light or dark setting.
std::string SvgPicture(std::span<const Drawing> drawings,
                       const PictureOptions& options);

/// Width of a page of drawings.
inline constexpr double kPictureWidth = 1160;
/// Margin around a picture.
inline constexpr double kPictureMargin = 24;
/// Gap between drawings side by side.
inline constexpr double kPictureGap = 44;

}  // namespace heed

#endif  // HEED_RENDER_DRAWING_H_
