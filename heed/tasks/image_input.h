// Reading and explaining images, shared by tasks.
#ifndef HEED_TASKS_IMAGE_INPUT_H_
#define HEED_TASKS_IMAGE_INPUT_H_

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/data/image_set.h"
#include "heed/explain/explanation.h"
#include "heed/tasks/task.h"

namespace heed {

enum class Colours : uint8_t { kGrey, kRgb };
constexpr auto WordsOf(Colours) { return std::array{"grey", "rgb"}; }

/// Converts the size of images to JSON, {"height", "width", "channels"}, and
/// back. Throws: FormatError that begins with `place`.
nlohmann::ordered_json ToJson(const ImageFormat& format);
ImageFormat FormatFromJson(const nlohmann::ordered_json& json,
                           const std::string& place);
/// A size in a JSON object, from 1 to `limit`. Throws: FormatError that begins
/// with `place`.
int64_t SizeIn(const nlohmann::ordered_json& json, const char* key,
               const std::string& place, int64_t limit);

/// Moves the last `count` training images to the validation set. Throws:
/// ConfigError if no training image is left.
template <typename Set>
void KeepLastForValidation(int64_t count, Set& train, Set& valid) {
  const int64_t first = train.size() - count;
  if (first < 1) {
    throw ConfigError("valid_last: {} of {} images leave none to learn from",
                      count, train.size());
  }
  valid = train.Slice(first, train.size());
  train = train.Slice(0, first);
}

/// Checks the size of images. Throws: FormatError unless it is the model's.
void CheckSameSize(const ImageFormat& images, const ImageFormat& of_model);

/// The axis "source" of an image: its cells of `cell` × `cell` pixels, row by
/// row, labelled "row 2, column 5", and the image itself.
Axis CellsAxis(int64_t cell, const Image& image);

/// Values of an occluded cell: the mean colour of the image's border, in 0 to
/// 1, [cell² C].
std::vector<double> AbsentCell(int64_t cell, const Image& image);

/// Repeats the first image `copies` times. Shapes: image [1, H, W, C], result
/// [copies, H, W, C].
Tensor RepeatImage(const Tensor& image, int64_t copies);

}  // namespace heed

#endif  // HEED_TASKS_IMAGE_INPUT_H_
