#include "heed/data/image_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Errors say where the file is named.
Image ReadImageFile(const ImageFile& file) {
  std::string bytes;
  try {
    bytes = ReadFile(file.path);
  } catch (const IoError& error) {
    if (file.place == file.path) throw;
    throw IoError("{}: {}", file.place, error.what());
  }
  return ImageFromBytes(bytes, file.place);
}

}  // namespace

bool IsImageName(const std::filesystem::path& path) {
  std::string end = path.extension().string();
  std::ranges::transform(end, end.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return end == ".png" || end == ".jpg" || end == ".jpeg";
}

std::vector<std::filesystem::path> SortedEntries(
    const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      entries.push_back(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw IoError("cannot read {}: {}", folder.string(),
                  error.code().message());
  }
  std::ranges::sort(entries);
  return entries;
}

ImageFormat FormatOfFile(const ImageFile& file) {
  const Image image = ReadImageFile(file);
  return {image.height, image.width, image.channels};
}

void CheckSetSize(int64_t images, const ImageFormat& format,
                  const std::string& place) {
  if (images > kMostSetBytes / std::max<int64_t>(1, format.size())) {
    throw FormatError("{}: {} images of {} × {} × {} are more than {} GiB",
                      place, images, format.height, format.width,
                      format.channels, kMostSetBytes >> 30);
  }
}

FilePixels ReadImageFiles(std::span<const ImageFile> files,
                          ImageFormat format) {
  if (format.height == 0 || format.channels == 0) {
    const ImageFormat first = FormatOfFile(files.front());
    if (format.height == 0) {
      format.height = first.height;
      format.width = first.width;
    }
    if (format.channels == 0) format.channels = first.channels;
  }
  const int64_t count = std::ssize(files);
  CheckSetSize(count, format, files.front().path);
  FilePixels read;
  read.format = format;
  read.pixels.resize(static_cast<size_t>(count * format.size()));
  read.own.resize(files.size());
  ParallelForEach(count, 1, [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    const Image own = ReadImageFile(files[at]);
    read.own[at] = {own.height, own.width, own.channels};
    const Image image = Fitted(own, format);
    std::ranges::copy(image.pixels, read.pixels.begin() + i * format.size());
  });
  return read;
}

std::vector<ListedImage> ReadImageList(const std::string& list,
                                       const std::string& what) {
  std::vector<ListedImage> images;
  const auto folder = std::filesystem::path(list).parent_path();
  ForEachLine(list, [&](std::string_view line, int64_t number) {
    const std::string place = fmt::format("{}:{}", list, number);
    const auto columns = SplitAt(line, "\t");
    if (columns.size() < 2 || columns[0].empty() || columns[1].empty()) {
      throw FormatError("{}: no path, tab and {} of an image", place, what);
    }
    ListedImage& image = images.emplace_back();
    image.file.path = (folder / columns[0]).string();
    image.file.place = place + ", " + image.file.path;
    image.columns.assign(columns.begin() + 1, columns.end());
    return true;
  });
  return images;
}

}  // namespace heed
