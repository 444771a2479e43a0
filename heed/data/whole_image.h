// Whether a PNG or JPEG file is whole, before a decoder takes memory for it:
// the decoders show what they have of a truncated file, and fill up the rest.
#ifndef HEED_DATA_WHOLE_IMAGE_H_
#define HEED_DATA_WHOLE_IMAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

/// Units: pixels.
struct ImageSize {
  int64_t width = 0;
  int64_t height = 0;
};

/// What its first bytes say.
bool IsPng(std::string_view bytes);
bool IsJpeg(std::string_view bytes);

/// The size that a PNG's header claims, of a file whose chunks follow one
/// another up to the last. Throws: FormatError.
ImageSize PngSize(std::string_view bytes, const std::string& place);
/// Unpacks the pixels of a PNG, of which PngSize was asked, into one small
/// buffer. Throws: FormatError if there are fewer than its header claims.
void CheckPngPixels(std::string_view bytes, const std::string& place);

/// The size that a JPEG's first frame claims, of a file that has an end.
/// Throws: FormatError.
ImageSize JpegSize(std::string_view bytes, const std::string& place);
/// Reads all scans of a JPEG; a progressive one takes memory for its
/// coefficients, 6 bytes a pixel. Throws: FormatError if they end too early or
/// are damaged.
void CheckJpegPixels(std::string_view bytes, const std::string& place);

}  // namespace heed

#endif  // HEED_DATA_WHOLE_IMAGE_H_
