// SVG pictures as pixels.
#ifndef HEED_RENDER_PNG_H_
#define HEED_RENDER_PNG_H_

#include <string>
#include <string_view>

namespace heed {

/// The picture as a PNG file in its light colours; `scale` pixels for each unit
/// of the SVG. Fonts are those of the machine: without any, text is left out.
/// Throws: FormatError if `svg` is not an SVG document with a size; ConfigError
/// unless scale is from 0.1 to 10; IoError if the picture is too large (more
/// than 30000 pixels on a side or 400 million) or memory runs out.
std::string SvgToPng(std::string_view svg, double scale = 2.0);

}  // namespace heed

#endif  // HEED_RENDER_PNG_H_
