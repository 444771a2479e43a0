// Features of images that another program computed.
#ifndef HEED_DATA_IMAGE_FEATURES_H_
#define HEED_DATA_IMAGE_FEATURES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/caption_list.h"
#include "heed/data/image_set.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Feature vectors of the cells of images. An array of an image is [L, D] or
/// [Y, X, D]; [L, D] is a square grid if L is a square number, otherwise one
/// row.
class ImageFeatures {
 public:
  /// Reads an .npz file with an array for each image, named after the image
  /// file with or without folder and extension, or an .npy file with the arrays
  /// of all images of a list, in its order. Elements are f2, f4 or f8. Throws:
  /// IoError; FormatError for other names, types or shapes, or a file of more
  /// than kMaxSetBytes.
  explicit ImageFeatures(const std::string& path);

  /// Rows and columns of cells, and features as channels.
  const ImageFormat& format() const { return format_; }
  /// True for an .npz file.
  bool by_name() const { return by_name_; }

  /// Features of each image of a list, f32 [1, Y, X, D]. Throws: FormatError if
  /// an image has none, if two share an array, if numbers are not finite, or if
  /// an .npy file has another number of images than the list.
  std::vector<Tensor> Of(const CaptionList& list);

 private:
  const Tensor& Find(const std::string& name, const std::string& place);

  std::string path_;
  bool by_name_;
  ImageFormat format_;
  std::map<std::string, Tensor> named_;         // or
  Tensor rows_;                                 // [N, Y, X, D]
  std::map<std::string, std::string> readers_;  // image of each used array
};

/// Features of one image in the bytes of an .npy file, f32 [1, Y, X, D].
/// Throws: FormatError that begins with `place`, also unless they have this
/// format.
Tensor FeaturesFromBytes(std::string_view bytes, const ImageFormat& format,
                         const std::string& place);

/// Grey picture of features [1, Y, X, D]: a square of `cell` pixels for each
/// cell, the brighter the larger the norm of its vector.
Image PictureOfFeatures(const Tensor& features, int64_t cell);

}  // namespace heed

#endif  // HEED_DATA_IMAGE_FEATURES_H_
