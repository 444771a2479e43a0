// Images with overlays, in SVG and in a terminal.
#ifndef HEED_RENDER_IMAGE_DRAWING_H_
#define HEED_RENDER_IMAGE_DRAWING_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/explanation.h"
#include "heed/explain/payloads.h"
#include "heed/render/drawing.h"
#include "heed/render/terminal.h"

namespace heed {

/// Image payload of an axis. Throws: ShapeError if it is missing or its cells
/// do not match the axis.
const ImagePayload& ImageOf(const Axis& axis);

/// Scale that makes the longer side `side`.
double ScaleOf(const Image& image, double side);

/// The first axis of kind image; null if there is none.
const Axis* ImageAxisOf(const ExplanationSegment& segment);

/// SVG image element for a PNG file in base64.
std::string ImageElement(const std::string& png, double width, double height);

/// The image with its longer side `side`, overlaid with cells shaded by values.
Drawing DrawImage(const Axis& axis, std::span<const float> values, double side);

/// Upsamples weights of cells to the pixels of an image, 0 to 1. Each cell is a
/// Gaussian around its centre with a deviation of one cell; the result is
/// scaled to maximum 1. All 0 without a weight above 0. Shapes: weights [rows ·
/// columns], result [height · width].
std::vector<float> SmoothedWeights(std::span<const float> weights,
                                   int64_t columns, int64_t height,
                                   int64_t width);

/// The image with its longer side `side`, in its own colours where smoothed
/// weights are highest and darker where they are lower. Throws: ShapeError.
Drawing DrawAttended(const Axis& axis, std::span<const float> weights,
                     double side);

/// Draws the legend of DrawAttended: dark is no attention, clear the largest
/// weight of an image.
Drawing DrawAttendedLegend();

/// Scales grey rows from 0 to 255 to 0 to 1.
std::vector<std::vector<float>> SharesOf(
    const std::vector<std::vector<int>>& grey);

/// A character drawn instead of a pixel.
struct ThumbnailMark {
  int64_t row = 0;
  int64_t column = 0;
  char mark = 0;
};

/// Draws rows of 0 to 1 in half blocks, or in shades without colour; a line of
/// text holds two rows. Of overlapping marks the first is visible.
std::string ThumbnailText(const std::vector<std::vector<float>>& rows,
                          int indent, const TerminalOptions& terminal,
                          std::span<const ThumbnailMark> marks = {});

/// Draws a small version of the image, of the size of ThumbnailOf: in its own
/// colours if it and the terminal have colours, else as rows of grey.
std::string ThumbnailText(const Image& image, int indent,
                          const TerminalOptions& terminal,
                          std::span<const ThumbnailMark> marks = {});

}  // namespace heed

#endif  // HEED_RENDER_IMAGE_DRAWING_H_
