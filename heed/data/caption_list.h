// Names of images and their captions, before the images are read.
#ifndef HEED_DATA_CAPTION_LIST_H_
#define HEED_DATA_CAPTION_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/captions.h"
#include "heed/data/image_files.h"

namespace heed {

/// A caption of an image.
struct ListedCaption {
  int64_t image = 0;
  std::string text;
  std::string boxes;  ///< JSON; empty: none
  std::string place;  ///< name of the line for errors about boxes
};

/// Images of a file without duplicates, and their captions, ordered by image.
struct CaptionList {
  std::vector<ImageFile> images;
  std::vector<std::string> names;  ///< path of each image as it is written
  std::vector<int64_t> rows;       ///< position of each image in the file
  int64_t file_images = 0;         ///< images in the file, of any split
  std::vector<ListedCaption> captions;
};

/// Reads a list or a split of a JSON file. Throws: as ReadCaptions.
CaptionList ReadCaptionList(const CaptionFiles& files, CaptionSplit split);

/// True if the name ends in ".json".
bool IsCaptionJson(const std::string& path);

}  // namespace heed

#endif  // HEED_DATA_CAPTION_LIST_H_
