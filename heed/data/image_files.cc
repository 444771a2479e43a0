#include "heed/data/image_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/data/header.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"

namespace heed {
namespace {

/// Entries of a folder, sorted by name. Throws: IoError.
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

/// Reads an image; errors include the place where the file is named.
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

bool IsLeftover(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 18> kNames = {
      "__macosx",     "@eadir",
      "#recycle",     "@recycle",
      "@tmp",         "$recycle.bin",
      "recycler",     "lost+found",
      "__pycache__",  "desktop.ini",
      "picasa.ini",   "thumbs.db",
      "ehthumbs.db",  "zbthumbnail.info",
      "icon\r",       "cvs",
      "node_modules", "network trash folder"};
  const std::string name = Lowercase(path.filename().string());
  return name.starts_with('.') || name.starts_with("~$") ||
         name.ends_with('~') ||
         (name.starts_with('#') && name.ends_with('#')) ||
         name == "system volume information" ||
         std::ranges::find(kNames, name) != kNames.end();
}

std::vector<std::filesystem::path> ImageFolder::Folders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : SortedEntries(folder_)) {
    if (std::filesystem::is_directory(entry) && !IsLeftover(entry)) {
      folders.push_back(entry);
    } else {
      Skip(entry);
    }
  }
  return folders;
}

std::vector<std::filesystem::path> ImageFolder::ImagesIn(
    const std::filesystem::path& inner) {
  std::vector<std::filesystem::path> images;
  for (const auto& entry : SortedEntries(inner)) {
    if (IsImageName(entry) && !IsLeftover(entry) &&
        std::filesystem::exists(entry) &&  // false for a broken link
        !std::filesystem::is_directory(entry)) {
      images.push_back(entry);
    } else {
      Skip(entry);
    }
  }
  return images;
}

void ImageFolder::Skip(const std::filesystem::path& path) {
  constexpr int64_t kShown = 3;
  if (++skipped_ > kShown) return;
  first_skipped_.push_back(path.lexically_relative(folder_).string());
}

void ImageFolder::WarnOfSkipped() const {
  if (skipped_ == 0) return;
  Warn(fmt::format(
      "{}: {} skipped, not PNG or JPEG images of a class or clip: {}{}",
      folder_,
      skipped_ == 1 ? "1 file or folder is"
                    : fmt::format("{} files or folders are", skipped_),
      fmt::join(first_skipped_, ", "),
      skipped_ > std::ssize(first_skipped_) ? ", ..." : ""));
}

ImageFormat FormatOfFile(const ImageFile& file) {
  const Image image = ReadImageFile(file);
  return {image.height, image.width, image.channels};
}

void CheckSetSize(int64_t images, const ImageFormat& format,
                  const std::string& place) {
  if (images > kMaxSetBytes / std::max<int64_t>(1, format.size())) {
    throw FormatError("{}: {} images of {} × {} × {} are more than {} GiB",
                      place, images, format.height, format.width,
                      format.channels, kMaxSetBytes >> 30);
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
                                       const std::string& what,
                                       const std::string& folder) {
  std::vector<ListedImage> images;
  const std::filesystem::path base =
      folder.empty() ? std::filesystem::path(list).parent_path()
                     : std::filesystem::path(folder);
  ForEachLine(list, [&](std::string_view line, int64_t number) {
    const std::string place = fmt::format("{}:{}", list, number);
    const std::vector<std::string_view> columns = SplitAt(line, "\t");
    if (number == 1 &&
        NamesColumns(std::span<const std::string_view>(columns))) {
      SayHeaderLeftOut(list, line);
      return true;
    }
    if (columns.size() < 2 || columns[0].empty() || columns[1].empty()) {
      throw FormatError("{}: expected path, tab and {} of an image", place,
                        what);
    }
    ListedImage& image = images.emplace_back();
    image.name = columns[0];
    image.file.path = (base / columns[0]).string();
    image.file.place = place + ", " + image.file.path;
    image.columns.assign(columns.begin() + 1, columns.end());
    return true;
  });
  return images;
}

}  // namespace heed
