// Images: reading PNG and JPEG, writing PNG, and changing their size.
#ifndef HEED_DATA_IMAGE_H_
#define HEED_DATA_IMAGE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// What an image file may claim to have: more is refused before any memory is
/// taken for it.
inline constexpr int64_t kMostImageSide = 16384;
inline constexpr int64_t kMostImagePixels = int64_t{1} << 25;

/// Pixels [H, W, C] of 8 bits; C is 1 (grey) or 3 (RGB).
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
  std::vector<uint8_t> pixels;

  int64_t size() const { return height * width * channels; }
  /// Pixel of row y and column x: its channels.
  std::span<const uint8_t> At(int64_t y, int64_t x) const {
    return std::span(pixels).subspan(
        static_cast<size_t>((y * width + x) * channels),
        static_cast<size_t>(channels));
  }
  bool operator==(const Image&) const = default;
};

/// The media types that DecodeImage reads.
inline const std::vector<std::string> kImageTypes = {"image/png", "image/jpeg",
                                                     "image/jpg"};

/// A PNG or JPEG file as RGB, whatever it holds: grey, a palette, 16 bits,
/// CMYK; what is transparent lies on white, an animation is its first picture,
/// and a camera's orientation is applied. Throws: FormatError that begins with
/// `place` for other bytes, a truncated or damaged file, or a header that
/// claims more than kMostImageSide or kMostImagePixels; std::bad_alloc.
Image DecodeImage(std::string_view bytes, const std::string& place);

/// The bytes of a PNG file. Throws: IoError.
std::string EncodePng(const Image& image);

/// With 1 or 3 channels: grey is .299 R + .587 G + .114 B.
Image WithChannels(const Image& image, int64_t channels);

/// Of another size: each pixel is the mean of what it covers, or between its
/// neighbours where the image becomes larger.
Image Resized(const Image& image, int64_t height, int64_t width);

}  // namespace heed

#endif  // HEED_DATA_IMAGE_H_
