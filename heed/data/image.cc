#include "heed/data/image.h"

#include <fmt/format.h>
#include <gdk-pixbuf/gdk-pixbuf.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/file_errors.h"
#include "heed/base/memory.h"
#include "heed/base/shared_library.h"
#include "heed/data/whole_image.h"

namespace heed {
namespace {

/// Functions of gdk-pixbuf and of its dependency GLib.
struct Pixbuf {
  SharedLibrary library{"libgdk_pixbuf-2.0.so.0", "libgdk-pixbuf-2.0-0"};
  HEED_FUNCTION(library, gdk_pixbuf_apply_embedded_orientation);
  HEED_FUNCTION(library, gdk_pixbuf_get_has_alpha);
  HEED_FUNCTION(library, gdk_pixbuf_get_height);
  HEED_FUNCTION(library, gdk_pixbuf_get_n_channels);
  HEED_FUNCTION(library, gdk_pixbuf_get_rowstride);
  HEED_FUNCTION(library, gdk_pixbuf_get_width);
  HEED_FUNCTION(library, gdk_pixbuf_loader_close);
  HEED_FUNCTION(library, gdk_pixbuf_loader_get_pixbuf);
  HEED_FUNCTION(library, gdk_pixbuf_loader_new_with_mime_type);
  HEED_FUNCTION(library, gdk_pixbuf_loader_write);
  HEED_FUNCTION(library, gdk_pixbuf_new_from_data);
  HEED_FUNCTION(library, gdk_pixbuf_read_pixels);
  HEED_FUNCTION(library, gdk_pixbuf_save_to_buffer);
  HEED_FUNCTION(library, g_error_free);
  HEED_FUNCTION(library, g_free);
  HEED_FUNCTION(library, g_object_unref);
};

const Pixbuf& Library() {
  static const Pixbuf library;
  return library;
}

struct GlibUnref {
  void operator()(void* object) const { Library().g_object_unref(object); }
  void operator()(GError* error) const { Library().g_error_free(error); }
};
template <typename T>
using GlibOwned = std::unique_ptr<T, GlibUnref>;

void CheckSize(const ImageSize& size, const std::string& place) {
  if (size.width < 1 || size.height < 1) {
    throw FormatError("{}: an image without pixels", place);
  }
  if (size.width > kMaxImageSide || size.height > kMaxImageSide ||
      size.width * size.height > kMaxImagePixels) {
    throw TooLargeError(
        "{}: an image of {} × {} pixels; at most {} on a side and {} million "
        "in all are read",
        place, size.width, size.height, kMaxImageSide,
        kMaxImagePixels / 1'000'000);
  }
}

/// Blends a colour with opacity `alpha` onto white.
uint8_t OnWhite(uint8_t value, uint8_t alpha) {
  return static_cast<uint8_t>((value * alpha + 255 * (255 - alpha) + 127) /
                              255);
}

Image FromPixbuf(GdkPixbuf* pixbuf) {
  Image image;
  image.height = Library().gdk_pixbuf_get_height(pixbuf);
  image.width = Library().gdk_pixbuf_get_width(pixbuf);
  image.channels = 3;
  image.pixels.resize(static_cast<size_t>(image.size()));
  const int channels = Library().gdk_pixbuf_get_n_channels(pixbuf);
  const bool alpha = Library().gdk_pixbuf_get_has_alpha(pixbuf) != 0;
  const guchar* rows = Library().gdk_pixbuf_read_pixels(pixbuf);
  const int64_t stride = Library().gdk_pixbuf_get_rowstride(pixbuf);
  uint8_t* to = image.pixels.data();
  for (int64_t y = 0; y < image.height; ++y) {
    const guchar* from = rows + y * stride;
    for (int64_t x = 0; x < image.width; ++x, from += channels) {
      for (int c = 0; c < 3; ++c) {
        *to++ = alpha ? OnWhite(from[c], from[3]) : from[c];
      }
    }
  }
  return image;
}

// Memory of GLib and the decoders, in addition to the pixels.
constexpr size_t kForDecoding = size_t{1} << 24;

GlibOwned<GdkPixbuf> Decoded(std::string_view bytes, const char* type,
                             const std::string& place) {
  GError* raw = nullptr;
  const auto check = [&](bool good) {
    const GlibOwned<GError> error(raw);
    raw = nullptr;
    if (good) return;
    throw FormatError("{}: a damaged image: {}", place,
                      error ? error->message : "unknown reason");
  };
  const GlibOwned<GdkPixbufLoader> loader(
      Library().gdk_pixbuf_loader_new_with_mime_type(type, &raw));
  check(loader != nullptr);
  const bool written =
      Library().gdk_pixbuf_loader_write(
          loader.get(), reinterpret_cast<const guchar*>(bytes.data()),
          bytes.size(), &raw) != 0;
  GError* at_end = nullptr;
  // Always closes the loader, which otherwise warns in its destructor.
  const bool closed = Library().gdk_pixbuf_loader_close(
                          loader.get(), written ? &at_end : nullptr) != 0;
  if (written) raw = at_end;
  check(written && closed);
  GdkPixbuf* pixbuf = Library().gdk_pixbuf_loader_get_pixbuf(loader.get());
  if (pixbuf == nullptr) {
    throw FormatError("{}: an image without pixels", place);
  }
  return GlibOwned<GdkPixbuf>(
      Library().gdk_pixbuf_apply_embedded_orientation(pixbuf));
}

/// Weights of the old pixels for a new pixel: those that it covers, or the two
/// around its centre.
struct Share {
  int64_t first = 0;
  std::vector<double> weights;  // sum to 1
};

std::vector<Share> SharesOf(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(1.0, scale);
  std::vector<Share> shares(static_cast<size_t>(to));
  for (int64_t i = 0; i < to; ++i) {
    // Triangle filter with a width of two new pixels, or two old ones if
    // larger.
    const double middle = (static_cast<double>(i) + 0.5) * scale - 0.5;
    const auto first = std::max<int64_t>(
        0, static_cast<int64_t>(std::floor(middle - reach)) + 1);
    const auto last = std::min<int64_t>(
        from - 1, static_cast<int64_t>(std::ceil(middle + reach)) - 1);
    Share& share = At(shares, i);
    share.first = std::min(first, from - 1);
    double sum = 0;
    for (int64_t j = share.first; j <= std::max(last, share.first); ++j) {
      const double weight =
          std::max(1e-9, 1 - std::abs(static_cast<double>(j) - middle) / reach);
      share.weights.push_back(weight);
      sum += weight;
    }
    for (double& weight : share.weights) weight /= sum;
  }
  return shares;
}

uint8_t ToByte(double value) {
  return static_cast<uint8_t>(std::clamp(std::round(value), 0.0, 255.0));
}

}  // namespace

Image DecodeImage(std::string_view bytes, const std::string& place) {
  if (bytes.empty()) throw FormatError("{}: an empty file, no image", place);
  const bool png = IsPng(bytes);
  if (!png && !IsJpeg(bytes)) {
    throw UnsupportedError("{}: neither a PNG nor a JPEG image", place);
  }
  const ImageSize size = png ? PngSize(bytes, place) : JpegSize(bytes, place);
  CheckSize(size, place);
  if (png) CheckPngPixels(bytes, place);
  // Pixels as 8-bit RGBA and, during decoding, as 16-bit RGBA.
  RequireMemory(kForDecoding +
                static_cast<size_t>(size.width * size.height) * 12);
  if (!png) CheckJpegPixels(bytes, place);
  const GlibOwned<GdkPixbuf> pixbuf =
      Decoded(bytes, png ? "image/png" : "image/jpeg", place);
  return FromPixbuf(pixbuf.get());
}

std::string EncodePng(const Image& image) {
  const Image rgb = WithChannels(image, 3);
  RequireMemory(kForDecoding + 2 * rgb.pixels.size());
  const GlibOwned<GdkPixbuf> pixbuf(Library().gdk_pixbuf_new_from_data(
      rgb.pixels.data(), GDK_COLORSPACE_RGB, FALSE, 8,
      static_cast<int>(rgb.width), static_cast<int>(rgb.height),
      static_cast<int>(rgb.width * 3), nullptr, nullptr));
  gchar* raw = nullptr;
  gsize size = 0;
  GError* raw_error = nullptr;
  const bool saved =
      Library().gdk_pixbuf_save_to_buffer(pixbuf.get(), &raw, &size, "png",
                                          &raw_error, nullptr) != 0;
  const GlibOwned<GError> error(raw_error);
  const std::unique_ptr<gchar, void (*)(void*)> buffer(raw, Library().g_free);
  if (!saved) {
    throw IoError("png: {}", error ? error->message : "unknown reason");
  }
  return std::string(buffer.get(), size);
}

Image WithChannels(const Image& image, int64_t channels) {
  if (image.channels == channels) return image;
  Image result = {image.height, image.width, channels, {}};
  result.pixels.reserve(static_cast<size_t>(result.size()));
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      const auto pixel = image.At(y, x);
      if (channels == 3) {
        result.pixels.insert(result.pixels.end(), 3, pixel[0]);
      } else {
        result.pixels.push_back(
            ToByte(0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]));
      }
    }
  }
  return result;
}

Image Resized(const Image& image, int64_t height, int64_t width) {
  if (image.height == height && image.width == width) return image;
  const int64_t channels = image.channels;
  const std::vector<Share> across = SharesOf(image.width, width);
  const std::vector<Share> down = SharesOf(image.height, height);
  Image result = {height, width, channels, {}};
  result.pixels.resize(static_cast<size_t>(result.size()));
  // Rows resized to the new width, computed when needed.
  std::vector<std::vector<double>> rows(static_cast<size_t>(image.height));
  const auto row = [&](int64_t y) -> const std::vector<double>& {
    std::vector<double>& numbers = At(rows, y);
    if (!numbers.empty()) return numbers;
    numbers.resize(static_cast<size_t>(width * channels));
    for (int64_t x = 0; x < width; ++x) {
      const Share& share = At(across, x);
      for (size_t i = 0; i < share.weights.size(); ++i) {
        const auto pixel = image.At(y, share.first + static_cast<int64_t>(i));
        for (int64_t c = 0; c < channels; ++c) {
          At(numbers, x * channels + c) += share.weights[i] * At(pixel, c);
        }
      }
    }
    return numbers;
  };
  std::vector<double> sums(static_cast<size_t>(width * channels));
  int64_t above = 0;  // earlier rows are no longer needed
  for (int64_t y = 0; y < height; ++y) {
    const Share& share = At(down, y);
    for (; above < share.first; ++above) {
      std::vector<double>().swap(At(rows, above));
    }
    std::ranges::fill(sums, 0);
    for (size_t i = 0; i < share.weights.size(); ++i) {
      const auto& numbers = row(share.first + static_cast<int64_t>(i));
      for (size_t k = 0; k < sums.size(); ++k) {
        sums[k] += share.weights[i] * numbers[k];
      }
    }
    std::ranges::transform(sums, result.pixels.begin() + y * width * channels,
                           ToByte);
  }
  return result;
}

}  // namespace heed
