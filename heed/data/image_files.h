// Image files of a data set.
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
  std::string place;  ///< name for error messages
};

/// True if the file name ends in .png, .jpg or .jpeg.
bool IsImageName(const std::filesystem::path& path);
/// True for files and folders that operating systems, editors or notebooks
/// leave behind: .DS_Store, ._1.png, Thumbs.db, __MACOSX, .ipynb_checkpoints,
/// \@eaDir, 1.png~ and similar ones.
bool IsLeftover(const std::filesystem::path& path);

/// Image files of a folder with one subfolder per class. Ignores other files.
class ImageFolder {
 public:
  explicit ImageFolder(std::string folder) : folder_(std::move(folder)) {}

  /// Subfolders, sorted by name. Files are skipped. Throws: IoError.
  std::vector<std::filesystem::path> Folders();
  /// Image files of a subfolder, sorted by name. Other files and broken links
  /// are skipped. Throws: IoError.
  std::vector<std::filesystem::path> ImagesIn(
      const std::filesystem::path& inner);
  /// Warns about the number of skipped files, if there are any.
  void WarnOfSkipped() const;

 private:
  void Skip(const std::filesystem::path& path);

  std::string folder_;
  int64_t skipped_ = 0;
  std::vector<std::string> first_skipped_;
};

/// Format of an image file. Throws: IoError; FormatError for other files.
ImageFormat FormatOfFile(const ImageFile& file);

/// Images of files, resized to one format.
struct FilePixels {
  ImageFormat format;
  std::vector<uint8_t> pixels;   // [N, H, W, C]
  std::vector<ImageFormat> own;  // original format of each file
};

/// Reads and resizes image files on all threads. Height and width, or channels,
/// that are 0 in `format` are those of the first image. Throws: IoError;
/// FormatError for a file that is not an image, or for more than kMaxSetBytes.
FilePixels ReadImageFiles(std::span<const ImageFile> files, ImageFormat format);

/// Throws: FormatError with `place` if the images exceed kMaxSetBytes.
void CheckSetSize(int64_t images, const ImageFormat& format,
                  const std::string& place);

/// A line of an image list: an image and one or more columns after its path.
struct ListedImage {
  ImageFile file;
  std::string name;  ///< path as it is written in the list
  std::vector<std::string> columns;
};

/// Reads a list whose lines are a path relative to `folder` (empty: the list's
/// folder), a tab, and `what` ("class"). Throws: IoError; FormatError for an
/// incomplete line (with its number), or an empty list.
std::vector<ListedImage> ReadImageList(const std::string& list,
                                       const std::string& what,
                                       const std::string& folder = {});

}  // namespace heed

#endif  // HEED_DATA_IMAGE_FILES_H_
