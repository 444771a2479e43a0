// Images in pictures and in a terminal, with what stands on them.
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

/// The image of an axis. Throws: ShapeError if it has none, or one with other
/// cells than the axis.
const ImagePayload& ImageOf(const Axis& axis);

/// So that the longer side is `side`.
double ScaleOf(const Image& image, double side);

/// The first axis of kind image; null: there is none.
const Axis* ImageAxisOf(const ExplanationSegment& segment);

/// An element with the PNG file of this base64.
std::string ImageElement(const std::string& png, double width, double height);

/// The image, `side` high or wide, with cells of their values' shades on it.
Drawing DrawImage(const Axis& axis, std::span<const float> values, double side);

/// Weights of cells as values of an image of so many pixels, 0 to 1: a Gaussian
/// with a deviation of one cell around the middle of each, the largest sum is
/// 1; all 0 without a weight above 0. Shapes: weights [rows · columns], result
/// [height · width].
std::vector<float> SmoothedWeights(std::span<const float> weights,
                                   int64_t columns, int64_t height,
                                   int64_t width);

/// The image, `side` high or wide, in its own colours where smoothed weights
/// are highest, and the darker the lower they are. Throws: ShapeError.
Drawing DrawAttended(const Axis& axis, std::span<const float> weights,
                     double side);

/// Draws the legend of DrawAttended: dark is no attention, clear the largest
/// weight of an image.
Drawing DrawAttendedLegend();

/// Grey rows of 0 to 255 as rows of 0 to 1.
std::vector<std::vector<float>> SharesOf(
    const std::vector<std::vector<int>>& grey);

/// The image in grey and small, rows of 0 to 1.
std::vector<std::vector<float>> ThumbnailOf(const Axis& axis);

/// A character in the place of a pixel.
struct ThumbnailMark {
  int64_t row = 0;
  int64_t column = 0;
  char mark = 0;
};

/// Rows of 0 to 1 in half blocks, or in shades where there is no colour; a row
/// of text for two of them. Of marks that fall together the first is seen.
std::string ThumbnailText(const std::vector<std::vector<float>>& rows,
                          int indent, const TerminalOptions& terminal,
                          std::span<const ThumbnailMark> marks = {});

}  // namespace heed

#endif  // HEED_RENDER_IMAGE_DRAWING_H_
