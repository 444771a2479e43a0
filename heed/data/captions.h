// Images and what is said of them.
#ifndef HEED_DATA_CAPTIONS_H_
#define HEED_DATA_CAPTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/image_set.h"
#include "heed/tensor/tensor.h"

namespace heed {

class ImageFeatures;

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

/// Images with one or more captions each, and boxes of words if there are any.
/// Instead of pixels there may be features; `format` then counts cells and
/// features.
struct CaptionedImages : Images {
  std::vector<Tensor> features;       ///< f32 [1, Y, X, D] of each image
  std::vector<std::string> captions;  ///< captions of an image are adjacent
  std::vector<int64_t> image_of;      ///< image of each caption, ascending
  std::vector<std::vector<WordBox>> boxes;  ///< of each caption

  /// Number of images.
  int64_t size() const { return image_of.empty() ? 0 : image_of.back() + 1; }
  /// Captions of each image.
  std::vector<std::vector<std::string>> References() const;
  /// The images [begin, end) with their captions.
  CaptionedImages Slice(int64_t begin, int64_t end) const;
  /// Pixels in 0 to 1, or features, of some images: f32 [B, Y, X, D].
  Tensor Batch(std::span<const int64_t> images) const;
};

/// CRC-32 of the pixels or features.
uint32_t SourceChecksum(const CaptionedImages& set);

/// Part of a JSON data set: train and restval, val, or test.
enum class CaptionSplit : uint8_t { kTrain, kValid, kTest };

/// Files of images and captions:
///   list  a line has the path of a PNG or JPEG file, a tab and a caption;
///         optionally a tab and boxes as JSON, [[word, left, top, right,
///         bottom], ..], with the number of a word from 0 and pixels of the
///         file. A path on several lines is one image with several captions.
///   JSON  a data set in Karpathy's format, recognised by its name (.json):
///         {"images": [{"filename": "1.jpg", "filepath": "val2014", "split":
///         "train", "sentences": [{"tokens": ["a", "dog"]}]}]}; filepath is
///         optional. Without tokens, "raw" is the caption.
struct CaptionFiles {
  std::string images;  ///< list or JSON
  std::string folder;  ///< of the image files; empty: that of `images`
};

/// Reads images and captions. All images of a list are of the requested split.
/// Images are resized to `format`; a size of 0 is that of the first image.
/// Throws: IoError; FormatError with file and line or element for a file that
/// is not an image, a file or split without images, a line without a caption,
/// an invalid box, or JSON of another format.
CaptionedImages ReadCaptions(const CaptionFiles& files, CaptionSplit split,
                             const ImageFormat& format);
/// Reads captions of images with features. The image files need not exist, and
/// boxes are ignored, because the size of the images is unknown. Throws: as
/// above, and as ImageFeatures::Of.
CaptionedImages ReadCaptions(const CaptionFiles& files, CaptionSplit split,
                             ImageFeatures& features);

}  // namespace heed

#endif  // HEED_DATA_CAPTIONS_H_
