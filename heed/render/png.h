// Rasterisation of SVG pictures.
#ifndef HEED_RENDER_PNG_H_
#define HEED_RENDER_PNG_H_

#include <string>
#include <string_view>

namespace heed {

/// Renders an SVG picture as a PNG file in light colours, with `scale` pixels
/// per SVG unit. Uses the fonts of the machine; without any, text is omitted.
/// Throws: FormatError if `svg` is not an SVG document with a size; ConfigError
/// unless scale is from 0.1 to 10; IoError if the picture is too large (more
/// than 30000 pixels on a side or 400 million) or memory runs out.
std::string SvgToPng(std::string_view svg, double scale = 2.0);

}  // namespace heed

#endif  // HEED_RENDER_PNG_H_
