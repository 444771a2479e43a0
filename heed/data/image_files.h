// Files of images as sets are read from them.
#ifndef HEED_DATA_IMAGE_FILES_H_
#define HEED_DATA_IMAGE_FILES_H_

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/data/image_set.h"

namespace heed {

struct ImageFile {
  std::string path;
  std::string place;  ///< what errors call it
};

/// Whether a file's ending is that of an image: .png, .jpg or .jpeg.
bool IsImageName(const std::filesystem::path& path);
/// Whether a file or folder of this name is left behind by an operating system,
/// an editor or a notebook, and is no data: .DS_Store, ._1.png, Thumbs.db,
/// __MACOSX, .ipynb_checkpoints, \@eaDir, 1.png~ and the like.
bool IsLeftover(const std::filesystem::path& path);

/// The folders and images of a folder of images, whatever else there is.
class ImageFolder {
 public:
  explicit ImageFolder(std::string folder) : folder_(std::move(folder)) {}

  /// Folders in the folder, by name. Files in it are skipped. Throws: IoError.
  std::vector<std::filesystem::path> Folders();
  /// Image files in one of them, by name. All else is skipped, as are links to
  /// files that are not there. Throws: IoError.
  std::vector<std::filesystem::path> ImagesIn(
      const std::filesystem::path& inner);
  /// Warns of what was skipped, with its number, if anything was.
  void WarnOfSkipped() const;

 private:
  void Skip(const std::filesystem::path& path);

  std::string folder_;
  int64_t skipped_ = 0;
  std::vector<std::string> first_skipped_;
};

/// Throws: IoError; FormatError for what no image is.
ImageFormat FormatOfFile(const ImageFile& file);

/// The images of files, in one size.
struct FilePixels {
  ImageFormat format;
  std::vector<uint8_t> pixels;   // [N, H, W, C]
  std::vector<ImageFormat> own;  // of each file
};

/// On all threads; fitted to `format`, whose height (with width) and channels
/// are the first one's where they are 0. Throws:
/// IoError; FormatError for what no image is, or more than kMostSetBytes.
FilePixels ReadImageFiles(std::span<const ImageFile> files, ImageFormat format);

/// Throws: FormatError, naming `place`, if that is more than kMostSetBytes.
void CheckSetSize(int64_t images, const ImageFormat& format,
                  const std::string& place);

/// A line of a list: an image and the columns behind its path, one at least.
struct ListedImage {
  ImageFile file;
  std::vector<std::string> columns;
};

/// A list whose lines are a path, which starts at the list's folder, a tab, and
/// `what` ("class"). Throws: IoError; FormatError that names a line without
/// one, or a list without lines.
std::vector<ListedImage> ReadImageList(const std::string& list,
                                       const std::string& what);

}  // namespace heed

#endif  // HEED_DATA_IMAGE_FILES_H_
