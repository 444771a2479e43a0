// Images and what is said of them.
#ifndef HEED_DATA_CAPTIONS_H_
#define HEED_DATA_CAPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/image_set.h"

namespace heed {

/// Box around the thing that a word names. Units: pixels; right and bottom are
/// exclusive.
struct WordBox {
  int64_t word = 0;  ///< index of the word in the caption
  int64_t left = 0;
  int64_t top = 0;
  int64_t right = 0;
  int64_t bottom = 0;

  bool operator==(const WordBox&) const = default;
};

/// Images, a caption of each, and where things are, if that is known.
struct CaptionedImages : Images {
  std::vector<std::string> captions;
  std::vector<std::vector<WordBox>> boxes;

  int64_t size() const { return std::ssize(captions); }
  /// The images [begin, end).
  CaptionedImages Slice(int64_t begin, int64_t end) const;
};

/// A list of images: on each line the path of a PNG or JPEG file, which starts
/// at the list's folder, a tab and a caption; behind another tab there may be
/// boxes as JSON: [[word, left, top, right, bottom], ..] in pixels of the file,
/// words of the caption by number from 0. Images are fitted to `format`, whose
/// 0 stand for the first one's. Throws: IoError; FormatError that names file
/// and line: for what no image is, a list without images, a line without a
/// caption, a box that is none or names no word.
CaptionedImages ReadCaptions(const std::string& list,
                             const ImageFormat& format);

}  // namespace heed

#endif  // HEED_DATA_CAPTIONS_H_
