// Sets of labelled images: idx files, folders and lists of PNG and JPEG.
#ifndef HEED_DATA_IMAGE_SET_H_
#define HEED_DATA_IMAGE_SET_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/image.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Maximum size of a set; reading a larger one is an error.
inline constexpr int64_t kMaxSetBytes = int64_t{1} << 34;

/// Size of images; 0: the size of the first image.
struct ImageFormat {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;

  int64_t size() const { return height * width * channels; }
  bool operator==(const ImageFormat&) const = default;
};

/// Images of one size.
struct Images {
  ImageFormat format;
  std::vector<uint8_t> pixels;  // [N, H, W, C]

  /// Pixels of the images [begin, end).
  std::span<const uint8_t> PixelsOf(int64_t begin, int64_t end) const {
    return std::span(pixels).subspan(
        static_cast<size_t>(begin * format.size()),
        static_cast<size_t>((end - begin) * format.size()));
  }
  std::span<const uint8_t> PixelsOf(int64_t i) const {
    return PixelsOf(i, i + 1);
  }
  Image At(int64_t i) const;
};

/// CRC-32 of the pixels, to tell images from others.
uint32_t PixelChecksum(const Images& images);

/// Images and the class of each.
struct ImageSet : Images {
  std::vector<int32_t> labels;
  std::vector<std::string> classes;  // names, in the order of labels

  int64_t size() const { return std::ssize(labels); }
  /// The images [begin, end).
  ImageSet Slice(int64_t begin, int64_t end) const;
};

/// The mean of the outermost pixels: a number for each channel.
std::vector<uint8_t> BorderColour(const Image& image);

/// Where Fitted puts an image. Units: pixels.
struct FittedPlace {
  int64_t top = 0;
  int64_t left = 0;
  int64_t height = 0;
  int64_t width = 0;
};
FittedPlace PlaceOfFitted(const ImageFormat& own, const ImageFormat& format);

/// The image in a size and with as many channels: whole, in the middle, as
/// large as fits, on the mean of its border.
Image Fitted(const Image& image, const ImageFormat& format);

/// The image as it is, in the middle of a black one that is not smaller.
Image Centred(const Image& image, const ImageFormat& format);

/// Where images and labels are. Of
///   idx      an idx3 file of grey images (or idx4, RGB) and an idx1 file of
///            labels, plain or gzip; classes are "0", "1" ..
///   folder   FOLDER/CLASS/NAME.png (.jpg, .jpeg); no labels
///   list     a line: the path of an image, which starts at the list's folder,
///            a tab, its class; no labels
struct ImageFiles {
  std::string images;
  std::string labels;
};

/// Images are fitted to `format`; classes are `classes` if there are any, else
/// what the labels name, sorted. Throws: IoError; FormatError that names file
/// and line: for what no image is, a set without images, labels of another
/// number or without images, a class that is not among `classes`, fewer than
/// two classes.
ImageSet ReadImages(const ImageFiles& files, ImageFormat format,
                    const std::vector<std::string>& classes);

/// The size of the first image. Throws: IoError; FormatError.
ImageFormat FirstFormat(const ImageFiles& files);

/// The bytes of an idx file, as ReadImages has it; errors begin with `place`.
struct IdxFile {
  std::vector<int64_t> shape;
  std::string_view data;  // within the bytes
};
/// Throws: FormatError.
IdxFile ParseIdx(std::string_view bytes, const std::string& place);
bool IsIdx(std::string_view bytes);

/// The bytes of an image file in PNG or JPEG, or one grey image of idx (shape
/// H × W). Throws: FormatError that begins with `place`.
Image ImageFromBytes(std::string_view bytes, const std::string& place);

/// f32 [B, H, W, C] in 0 to 1 of the images at `indices`.
Tensor ImageBatch(const Images& set, std::span<const int64_t> indices);
/// Pixels as f32 [B, H, W, C] in 0 to 1.
Tensor ImageTensor(std::span<const uint8_t> pixels, const ImageFormat& format);

}  // namespace heed

#endif  // HEED_DATA_IMAGE_SET_H_
