#include "heed/data/image_features.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/io/file.h"
#include "heed/io/npy.h"
#include "heed/io/npz.h"

namespace heed {
namespace {

/// Grid of an array [L, D] or [Y, X, D]. Throws: FormatError.
ImageFormat GridOf(std::span<const int64_t> dims, const std::string& place) {
  if (dims.size() < 2 || dims.size() > 3 ||
      std::ranges::any_of(dims, [](int64_t dim) { return dim < 1; })) {
    throw FormatError(
        "{}: expected features of an image, [cells, features] or [rows, "
        "columns, features], not {}",
        place, fmt::join(dims, " × "));
  }
  if (dims.size() == 3) return {dims[0], dims[1], dims[2]};
  const auto side = static_cast<int64_t>(
      std::llround(std::sqrt(static_cast<double>(dims[0]))));
  if (side * side == dims[0]) return {side, side, dims[1]};
  return {1, dims[0], dims[1]};
}

std::vector<int64_t> DimsOf(const Tensor& array, int first) {
  std::vector<int64_t> dims;
  for (int i = first; i < array.shape().rank(); ++i) {
    dims.push_back(array.dim(i));
  }
  return dims;
}

Tensor AsFloats(const Tensor& array, const std::string& place) {
  if (array.dtype() != DType::kF32 && array.dtype() != DType::kF64) {
    throw FormatError("{}: features are f2, f4 or f8, not integers", place);
  }
  return array.To(DType::kF32);
}

void CheckFinite(const Tensor& features, const std::string& place) {
  const std::span<const float> values(features.data<float>(),
                                      static_cast<size_t>(features.numel()));
  if (std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) {
    return;
  }
  throw FormatError("{}: a feature is infinite or not a number", place);
}

Shape ShapeOfOne(const ImageFormat& format) {
  return {1, format.height, format.width, format.channels};
}

std::string FormatText(const ImageFormat& format) {
  return fmt::format("{} × {} cells of {} features", format.height,
                     format.width, format.channels);
}

Tensor FeaturesOfOne(const Tensor& array, const ImageFormat& format,
                     const std::string& place) {
  const ImageFormat own = GridOf(DimsOf(array, 0), place);
  if (own != format) {
    throw FormatError("{}: has {}, others {}", place, FormatText(own),
                      FormatText(format));
  }
  Tensor features = AsFloats(array, place).Reshape(ShapeOfOne(format));
  CheckFinite(features, place);
  return features;
}

}  // namespace

ImageFeatures::ImageFeatures(const std::string& path) : path_(path) {
  const std::string ending =
      Lowercase(std::filesystem::path(path).extension().string());
  by_name_ = ending == ".npz";
  if (!by_name_ && ending != ".npy") {
    throw FormatError("{}: expected features in a file .npz or .npy", path);
  }
  if (InputFile(path).size() > static_cast<uint64_t>(kMaxSetBytes)) {
    throw FormatError(
        "{}: features of more than {} GiB; write them as f2, or "
        "use fewer cells or features",
        path, kMaxSetBytes >> 30);
  }
  if (by_name_) {
    for (NamedTensor& array : ReadNpz(path)) {
      named_.emplace(std::move(array.name), std::move(array.value));
    }
    if (named_.empty()) throw FormatError("{}: no arrays", path);
    const auto& [name, first] = *named_.begin();
    format_ = GridOf(DimsOf(first, 0), fmt::format("{}: '{}'", path, name));
    return;
  }
  rows_ = AsFloats(ReadNpy(path), path);
  if (rows_.shape().rank() < 3) {
    throw FormatError(
        "{}: expected features of all images, [images, cells, features], not "
        "{}",
        path, rows_.shape().ToString());
  }
  format_ = GridOf(DimsOf(rows_, 1), path);
}

std::vector<Tensor> ImageFeatures::Of(const CaptionList& list) {
  if (!by_name_ && rows_.dim(0) != list.file_images) {
    throw FormatError("{}: features of {} images for a list of {}", path_,
                      rows_.dim(0), list.file_images);
  }
  std::vector<Tensor> features;
  for (size_t i = 0; i < list.images.size(); ++i) {
    if (by_name_) {
      features.push_back(Find(list.names[i], list.images[i].place));
      continue;
    }
    const int64_t row = list.rows[i];
    features.push_back(rows_.Slice(row, row + 1).Reshape(ShapeOfOne(format_)));
    CheckFinite(features.back(), fmt::format("{}, image {}", path_, row));
  }
  return features;
}

const Tensor& ImageFeatures::Find(const std::string& name,
                                  const std::string& place) {
  const std::filesystem::path path = name;
  const auto stem = std::filesystem::path(name).replace_extension();
  for (const std::string& key :
       {path.string(), stem.string(), path.filename().string(),
        stem.filename().string()}) {
    const auto found = named_.find(key);
    if (found == named_.end()) continue;
    const auto [reader, is_new] = readers_.emplace(key, name);
    if (reader->second != name) {
      throw FormatError(
          "{}: '{}' would be the features of {} and of {}; name arrays by the "
          "path of the list",
          path_, key, reader->second, name);
    }
    if (is_new) {
      found->second = FeaturesOfOne(found->second, format_,
                                    fmt::format("{}: '{}'", path_, key));
    }
    return found->second;
  }
  throw FormatError("{}: {} has no array '{}' or '{}'", place, path_,
                    path.filename().string(), stem.filename().string());
}

Tensor FeaturesFromBytes(std::string_view bytes, const ImageFormat& format,
                         const std::string& place) {
  const Tensor array = ParseNpy(bytes, place);
  const ImageFormat own = GridOf(DimsOf(array, 0), place);
  if (own != format) {
    throw FormatError("{}: has {}, the model reads {}", place, FormatText(own),
                      FormatText(format));
  }
  return FeaturesOfOne(array, format, place);
}

Image PictureOfFeatures(const Tensor& features, int64_t cell) {
  const int64_t rows = features.dim(1), columns = features.dim(2);
  const int64_t size = features.dim(3);
  std::vector<double> norms;
  for (int64_t i = 0; i < rows * columns; ++i) {
    const float* own = features.data<float>() + i * size;
    double squares = 0;
    for (int64_t d = 0; d < size; ++d) squares += double{own[d]} * own[d];
    norms.push_back(std::sqrt(squares));
  }
  const auto [least, most] = std::ranges::minmax(norms);
  Image image = {rows * cell, columns * cell, 1, {}};
  for (int64_t y = 0; y < image.height; ++y) {
    for (int64_t x = 0; x < image.width; ++x) {
      const double norm = At(norms, y / cell * columns + x / cell);
      const double bright = most > least ? (norm - least) / (most - least) : 0;
      image.pixels.push_back(static_cast<uint8_t>(255 * bright));
    }
  }
  return image;
}

}  // namespace heed
