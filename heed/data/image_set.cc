#include "heed/data/image_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/image_files.h"
#include "heed/io/file.h"

namespace heed {
namespace {

constexpr size_t kIdxPrefix = 4;
constexpr char kIdxBytes = 0x08;  // of unsigned bytes
constexpr int kMaxIdxAxes = 4;

/// Names by length and letters, so that numbers are in their order.
bool ClassBefore(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& name) {
    return !name.empty() && name.size() < 10 &&
           std::ranges::all_of(name,
                               [](char c) { return c >= '0' && c <= '9'; });
  };
  if (number(a) && number(b) && a.size() != b.size()) {
    return a.size() < b.size();
  }
  return a < b;
}

/// An image file and the name of its class.
struct NamedImage {
  ImageFile file;
  std::string name;
};

/// `warns`: of what else is in the folder.
std::vector<NamedImage> ListFolder(const std::string& folder, bool warns) {
  std::vector<NamedImage> images;
  ImageFolder entries(folder);
  for (const auto& entry : entries.Folders()) {
    for (const auto& file : entries.ImagesIn(entry)) {
      images.push_back(
          {{file.string(), file.string()}, entry.filename().string()});
    }
  }
  if (images.empty()) {
    throw FormatError(
        "{}: no images; a folder has a folder for each class, with PNG or JPEG "
        "files",
        folder);
  }
  if (warns) entries.WarnOfSkipped();
  return images;
}

std::vector<NamedImage> ListLines(const std::string& list) {
  std::vector<NamedImage> images;
  for (ListedImage& listed : ReadImageList(list, "class")) {
    images.push_back({std::move(listed.file), std::move(listed.columns[0])});
  }
  return images;
}

/// Gives each image its label.
void SetLabels(const std::vector<NamedImage>& images,
               const std::vector<std::string>& classes, ImageSet& set) {
  set.classes = classes;
  if (classes.empty()) {
    for (const NamedImage& image : images) set.classes.push_back(image.name);
    std::ranges::sort(set.classes, ClassBefore);
    set.classes.erase(std::unique(set.classes.begin(), set.classes.end()),
                      set.classes.end());
  }
  std::map<std::string, int32_t> ids;
  for (const std::string& name : set.classes) {
    ids.emplace(name, static_cast<int32_t>(ids.size()));
  }
  for (const NamedImage& image : images) {
    const auto found = ids.find(image.name);
    if (found == ids.end()) {
      throw FormatError("{}: class '{}' is not one of the model's ({})",
                        image.file.place, image.name,
                        fmt::join(set.classes, ", "));
    }
    set.labels.push_back(found->second);
  }
}

ImageSet ReadClasses(const std::vector<NamedImage>& images,
                     const ImageFormat& format,
                     const std::vector<std::string>& classes) {
  ImageSet set;
  SetLabels(images, classes, set);
  std::vector<ImageFile> files;
  for (const NamedImage& image : images) files.push_back(image.file);
  FilePixels read = ReadImageFiles(files, format);
  set.format = read.format;
  set.pixels = std::move(read.pixels);
  return set;
}

Image IdxImage(const IdxFile& file, int64_t i, const ImageFormat& own) {
  const std::string_view part = file.data.substr(
      static_cast<size_t>(i * own.size()), static_cast<size_t>(own.size()));
  return {own.height, own.width, own.channels, {part.begin(), part.end()}};
}

/// The format of images in a file of several.
ImageFormat IdxFormat(const IdxFile& file, const std::string& place) {
  const auto& shape = file.shape;
  const bool rgb = shape.size() == 4 && shape[3] == 3;
  if (shape.size() != 3 && !rgb) {
    throw FormatError(
        "{}: an idx file of shape [{}]; images have [N, H, W] or [N, H, W, 3]",
        place, fmt::join(shape, ", "));
  }
  const ImageFormat format = {shape[1], shape[2], rgb ? 3 : 1};
  if (format.height < 1 || format.width < 1 ||
      std::max(format.height, format.width) > kMaxImageSide) {
    throw FormatError("{}: images of {} × {} pixels", place, format.width,
                      format.height);
  }
  return format;
}

std::vector<int32_t> IdxLabels(const std::string& path, int64_t images,
                               const std::string& images_path) {
  const std::string bytes = ReadInflated(path);
  const IdxFile file = ParseIdx(bytes, path);
  if (file.shape.size() != 1) {
    throw FormatError("{}: an idx file of shape [{}]; labels have [N]", path,
                      fmt::join(file.shape, ", "));
  }
  if (file.shape[0] != images) {
    throw FormatError("{}: {} labels for the {} images of {}", path,
                      file.shape[0], images, images_path);
  }
  std::vector<int32_t> labels;
  for (const char label : file.data) {
    labels.push_back(static_cast<uint8_t>(label));
  }
  return labels;
}

ImageSet ReadIdx(const ImageFiles& files, ImageFormat format,
                 const std::vector<std::string>& classes) {
  if (files.labels.empty()) {
    throw FormatError("{}: an idx file of images needs an idx file of labels",
                      files.images);
  }
  const std::string bytes = ReadInflated(files.images);
  const IdxFile file = ParseIdx(bytes, files.images);
  const ImageFormat own = IdxFormat(file, files.images);
  const int64_t count = file.shape[0];
  if (count == 0) throw FormatError("{}: no images", files.images);
  if (format.height == 0) format = own;
  CheckSetSize(count, format, files.images);
  ImageSet set;
  set.format = format;
  set.labels = IdxLabels(files.labels, count, files.images);
  set.classes = classes;
  const int32_t max = std::ranges::max(set.labels);
  if (classes.empty()) {
    for (int32_t label = 0; label <= max; ++label) {
      set.classes.push_back(std::to_string(label));
    }
  }
  if (max >= std::ssize(set.classes)) {
    throw FormatError("{}: label {} is not one of the model's ({})",
                      files.labels, max, fmt::join(set.classes, ", "));
  }
  if (format == own) {
    set.pixels.assign(file.data.begin(), file.data.end());
    return set;
  }
  set.pixels.resize(static_cast<size_t>(count * format.size()));
  ParallelForEach(count, 16, [&](int64_t i) {
    const Image image = Fitted(IdxImage(file, i, own), format);
    std::ranges::copy(image.pixels, set.pixels.begin() + i * format.size());
  });
  return set;
}

/// True if a file begins like an idx file, plain or gzip.
bool BeginsAsIdx(const std::string& path) {
  InputFile file(path);
  std::string begin(kIdxPrefix, '\0');
  begin.resize(file.Read(begin.data(), begin.size()));
  if (begin.starts_with("\x1f\x8b")) return IsIdx(ReadInflated(path));
  return IsIdx(begin);
}

/// The image in the middle of one of this colour.
Image InTheMiddle(const Image& inner, const ImageFormat& format,
                  const std::vector<uint8_t>& colour) {
  Image result = {format.height, format.width, format.channels, {}};
  for (int64_t i = 0; i < format.height * format.width; ++i) {
    result.pixels.insert(result.pixels.end(), colour.begin(), colour.end());
  }
  const int64_t top = (format.height - inner.height) / 2;
  const int64_t left = (format.width - inner.width) / 2;
  const int64_t row = inner.width * inner.channels;
  for (int64_t y = 0; y < inner.height; ++y) {
    std::copy_n(inner.pixels.begin() + y * row, row,
                result.pixels.begin() +
                    ((top + y) * format.width + left) * format.channels);
  }
  return result;
}

}  // namespace

uint32_t PixelChecksum(const Images& images) {
  return Crc32({reinterpret_cast<const char*>(images.pixels.data()),
                images.pixels.size()});
}

Image Images::At(int64_t i) const {
  const auto own = PixelsOf(i);
  return {
      format.height, format.width, format.channels, {own.begin(), own.end()}};
}

ImageSet ImageSet::Slice(int64_t begin, int64_t end) const {
  ImageSet part;
  part.format = format;
  part.classes = classes;
  part.labels.assign(labels.begin() + begin, labels.begin() + end);
  const auto own = PixelsOf(begin, end);
  part.pixels.assign(own.begin(), own.end());
  return part;
}

std::vector<uint8_t> BorderColour(const Image& image) {
  std::vector<uint8_t> mean;
  for (int64_t c = 0; c < image.channels; ++c) {
    int64_t sum = 0;
    int64_t count = 0;
    for (int64_t y = 0; y < image.height; ++y) {
      const bool edge = y == 0 || y == image.height - 1;
      const int64_t step = edge ? 1 : std::max<int64_t>(1, image.width - 1);
      for (int64_t x = 0; x < image.width; x += step, ++count) {
        sum += At(image.At(y, x), c);
      }
    }
    mean.push_back(static_cast<uint8_t>((sum + count / 2) / count));
  }
  return mean;
}

FittedPlace PlaceOfFitted(const ImageFormat& own, const ImageFormat& format) {
  const double scale = std::min(
      static_cast<double>(format.height) / static_cast<double>(own.height),
      static_cast<double>(format.width) / static_cast<double>(own.width));
  const auto scaled = [scale](int64_t side, int64_t max) {
    return std::clamp<int64_t>(
        static_cast<int64_t>(std::lround(static_cast<double>(side) * scale)), 1,
        max);
  };
  FittedPlace place;
  place.height = scaled(own.height, format.height);
  place.width = scaled(own.width, format.width);
  place.top = (format.height - place.height) / 2;
  place.left = (format.width - place.width) / 2;
  return place;
}

Image Fitted(const Image& image, const ImageFormat& format) {
  const Image own = WithChannels(image, format.channels);
  const FittedPlace place =
      PlaceOfFitted({own.height, own.width, own.channels}, format);
  Image inner = Resized(own, place.height, place.width);
  if (inner.height == format.height && inner.width == format.width) {
    return inner;
  }
  return InTheMiddle(inner, format, BorderColour(own));
}

Image Centred(const Image& image, const ImageFormat& format) {
  return InTheMiddle(
      image, format,
      std::vector<uint8_t>(static_cast<size_t>(format.channels), 0));
}

bool IsIdx(std::string_view bytes) {
  return bytes.size() >= kIdxPrefix && bytes[0] == 0 && bytes[1] == 0 &&
         bytes[2] == kIdxBytes && bytes[3] >= 1 && bytes[3] <= kMaxIdxAxes;
}

IdxFile ParseIdx(std::string_view bytes, const std::string& place) {
  if (!IsIdx(bytes)) {
    throw FormatError("{}: no idx file of bytes with 1 to {} axes", place,
                      kMaxIdxAxes);
  }
  const size_t axes = static_cast<uint8_t>(bytes[3]);
  const size_t header = kIdxPrefix + 4 * axes;
  if (bytes.size() < header) {
    throw FormatError("{}: a truncated idx file", place);
  }
  IdxFile file;
  uint64_t size = 1;
  for (size_t axis = 0; axis < axes; ++axis) {
    uint64_t extent = 0;
    for (size_t i = 0; i < 4; ++i) {
      extent =
          extent << 8 | static_cast<uint8_t>(bytes[kIdxPrefix + 4 * axis + i]);
    }
    file.shape.push_back(static_cast<int64_t>(extent));
    // Without an overflow: more than kMaxSetBytes cannot be there.
    constexpr auto kMax = static_cast<uint64_t>(kMaxSetBytes);
    size = extent != 0 && size > kMax / extent ? kMax + 1 : size * extent;
  }
  file.data = bytes.substr(header);
  if (size != file.data.size()) {
    throw FormatError(
        "{}: an idx file of shape [{}] with {} bytes of data; it is truncated "
        "or damaged",
        place, fmt::join(file.shape, ", "), file.data.size());
  }
  return file;
}

Image ImageFromBytes(std::string_view bytes, const std::string& place) {
  if (!IsIdx(bytes)) return DecodeImage(bytes, place);
  const IdxFile file = ParseIdx(bytes, place);
  if (file.shape.size() != 2 || file.shape[0] < 1 || file.shape[1] < 1 ||
      std::ranges::max(file.shape) > kMaxImageSide) {
    throw FormatError("{}: an idx file of shape [{}]; an image has [H, W]",
                      place, fmt::join(file.shape, ", "));
  }
  return {
      file.shape[0], file.shape[1], 1, {file.data.begin(), file.data.end()}};
}

ImageFormat FirstFormat(const ImageFiles& files) {
  if (std::filesystem::is_directory(files.images)) {
    return FormatOfFile(ListFolder(files.images, false).front().file);
  }
  if (!BeginsAsIdx(files.images)) {
    return FormatOfFile(ListLines(files.images).front().file);
  }
  const std::string bytes = ReadInflated(files.images);
  return IdxFormat(ParseIdx(bytes, files.images), files.images);
}

ImageSet ReadImages(const ImageFiles& files, ImageFormat format,
                    const std::vector<std::string>& classes) {
  const bool folder = std::filesystem::is_directory(files.images);
  ImageSet set;
  if (!folder && BeginsAsIdx(files.images)) {
    set = ReadIdx(files, format, classes);
  } else {
    if (!files.labels.empty()) {
      throw FormatError(
          "{}: labels in a file are of idx images; {} names its classes itself",
          files.labels, files.images);
    }
    const auto images =
        folder ? ListFolder(files.images, true) : ListLines(files.images);
    set = ReadClasses(images, format, classes);
  }
  if (set.classes.size() < 2) {
    throw FormatError("{}: all images are of one class; two are needed",
                      files.images);
  }
  return set;
}

Tensor ImageTensor(std::span<const uint8_t> pixels, const ImageFormat& format) {
  const int64_t images = std::ssize(pixels) / format.size();
  Tensor x({images, format.height, format.width, format.channels});
  std::ranges::transform(pixels, x.data<float>(), [](uint8_t pixel) {
    return static_cast<float>(pixel) / 255;
  });
  return x;
}

Tensor ImageBatch(const Images& set, std::span<const int64_t> indices) {
  std::vector<uint8_t> pixels;
  pixels.reserve(indices.size() * static_cast<size_t>(set.format.size()));
  for (const int64_t i : indices) {
    const auto own = set.PixelsOf(i);
    pixels.insert(pixels.end(), own.begin(), own.end());
  }
  return ImageTensor(pixels, set.format);
}

}  // namespace heed
