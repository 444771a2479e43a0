// Images: decoding of PNG and JPEG, encoding of PNG, and resizing.
#ifndef HEED_DATA_IMAGE_H_
#define HEED_DATA_IMAGE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// Limits of an image file's header. Larger images are refused before memory is
/// allocated.
inline constexpr int64_t kMaxImageSide = 16384;
inline constexpr int64_t kMaxImagePixels = int64_t{1} << 25;

/// An image: pixels [H, W, C] of 8 bits; C is 1 (grey) or 3 (RGB).
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  std::vector<uint8_t> pixels;

  int64_t size() const { return height * width * channels; }
  /// Channels of the pixel in row y and column x.
  std::span<const uint8_t> At(int64_t y, int64_t x) const {
    return std::span(pixels).subspan(
        static_cast<size_t>((y * width + x) * channels),
        static_cast<size_t>(channels));
  }
  bool operator==(const Image&) const = default;
};

/// Media types that DecodeImage accepts.
inline const std::vector<std::string> kImageTypes = {"image/png", "image/jpeg",
                                                     "image/jpg"};

/// Decodes a PNG or JPEG file to RGB from any format (grey, palette, 16 bits,
/// CMYK). Transparent pixels are blended with white, the first frame of an
/// animation is used, and a camera's orientation is applied. Throws:
/// FormatError that begins with `place` for other formats, a truncated or
/// damaged file, or a header above kMaxImageSide or kMaxImagePixels;
/// std::bad_alloc.
Image DecodeImage(std::string_view bytes, const std::string& place);

/// Encodes a PNG file. Throws: IoError.
std::string EncodePng(const Image& image);

/// Converts to 1 or 3 channels; grey is .299 R + .587 G + .114 B.
Image WithChannels(const Image& image, int64_t channels);

/// Resizes an image. Each new pixel is the mean of the pixels it covers;
/// enlarged images are interpolated.
Image Resized(const Image& image, int64_t height, int64_t width);

}  // namespace heed

#endif  // HEED_DATA_IMAGE_H_
