// Pieces of SVG pictures, and how they are put together.
#ifndef HEED_RENDER_DRAWING_H_
#define HEED_RENDER_DRAWING_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// SVG elements in a frame of their own, from (0, 0) to (width, height).
struct Drawing {
  double width = 0;
  double height = 0;
  std::string svg;
};

/// Drawings from left to right, in rows at most `width` wide (one at least
/// stands in each), `gap` apart.
Drawing FlowDrawings(std::span<const Drawing> drawings, double width,
                     double gap);

/// Drawings below each other.
Drawing StackDrawings(std::span<const Drawing> drawings, double gap);

/// A heading; `level` 1 stands above a picture, 2 above its parts, 3 is quiet.
Drawing DrawHeading(std::string_view text, int level);

/// What the shades mean.
struct PictureLegend {
  /// kMagnitudes: attributions of which none is below zero.
  enum Kind : uint8_t { kNone, kWeights, kSigned, kMagnitudes };
  Kind kind = kNone;
  /// As ViewOptions: the weight of the full shade; 0: each row's largest.
  double full = 1;
};

struct PictureOptions {
  std::string label;  ///< what the picture is, for those who cannot see it
  PictureLegend legend = {};
};

/// `drawings` flowing over a page of usual width: a whole SVG document that
/// follows the reader's light or dark setting.
std::string SvgPicture(std::span<const Drawing> drawings,
                       const PictureOptions& options);

/// Width of a page of drawings.
inline constexpr double kPictureWidth = 1160;
/// Around a picture.
inline constexpr double kPictureMargin = 24;
/// Between drawings side by side.
inline constexpr double kPictureGap = 44;

}  // namespace heed

#endif  // HEED_RENDER_DRAWING_H_
