// Completeness checks of PNG and JPEG files before decoding, because decoders
// accept truncated files and fill the missing pixels.
#ifndef HEED_DATA_WHOLE_IMAGE_H_
#define HEED_DATA_WHOLE_IMAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

/// Size of an image. Units: pixels
struct ImageSize {
  int64_t width = 0;
  int64_t height = 0;
};

/// True for the signature of the format.
bool IsPng(std::string_view bytes);
bool IsJpeg(std::string_view bytes);

/// Size in a PNG's header, if the file has all chunks up to the last. Throws:
/// FormatError.
ImageSize PngSize(std::string_view bytes, const std::string& place);
/// Decompresses a PNG's pixels into a small buffer. The file must have passed
/// PngSize. Throws: FormatError if there are fewer than in the header.
void CheckPngPixels(std::string_view bytes, const std::string& place);

/// Size in a JPEG's first frame, if the file has an end marker. Throws:
/// FormatError.
ImageSize JpegSize(std::string_view bytes, const std::string& place);
/// Reads all scans of a JPEG. A progressive one needs memory for its
/// coefficients, 6 bytes per pixel. Throws: FormatError if they are truncated
/// or damaged.
void CheckJpegPixels(std::string_view bytes, const std::string& place);

}  // namespace heed

#endif  // HEED_DATA_WHOLE_IMAGE_H_
