#include "heed/tasks/image_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "heed/base/base64.h"
#include "heed/base/errors.h"
#include "heed/explain/payloads.h"

namespace heed {
void CheckSameSize(const ImageFormat& images, const ImageFormat& of_model) {
  if (images == of_model) return;
  throw FormatError(
      "images of {} × {} × {} are not of the model's size, {} × {} × {}",
      images.height, images.width, images.channels, of_model.height,
      of_model.width, of_model.channels);
}

Axis CellsAxis(int64_t cell, const Image& image) {
  Axis axis = {.id = "source", .kind = "image", .label = "Image"};
  for (int64_t y = 0; y < image.height / cell; ++y) {
    for (int64_t x = 0; x < image.width / cell; ++x) {
      axis.items.push_back(fmt::format("row {}, column {}", y + 1, x + 1));
    }
  }
  axis.payload = ImagePayload(image, cell);
  return axis;
}

std::vector<double> AbsentCell(int64_t cell, const Image& image) {
  std::vector<double> absent;
  const std::vector<uint8_t> colour = BorderColour(image);
  for (int64_t i = 0; i < cell * cell; ++i) {
    for (const uint8_t channel : colour) absent.push_back(channel / 255.0);
  }
  return absent;
}

Tensor RepeatImage(const Tensor& image, int64_t copies) {
  Tensor several({copies, image.dim(1), image.dim(2), image.dim(3)});
  for (int64_t i = 0; i < copies; ++i) {
    std::copy_n(image.data<float>(), image.numel(),
                several.data<float>() + i * image.numel());
  }
  return several;
}

nlohmann::ordered_json ToJson(const ImageFormat& format) {
  return {{"height", format.height},
          {"width", format.width},
          {"channels", format.channels}};
}

int64_t SizeIn(const nlohmann::ordered_json& json, const char* key,
               const std::string& place, int64_t limit) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer() ||
      found->get<int64_t>() < 1 || found->get<int64_t>() > limit) {
    throw FormatError("{}: '{}' is no size of images", place, key);
  }
  return found->get<int64_t>();
}

ImageFormat FormatFromJson(const nlohmann::ordered_json& json,
                           const std::string& place) {
  if (!json.is_object()) throw FormatError("{}: no JSON object", place);
  const ImageFormat format = {SizeIn(json, "height", place, kMaxImageSide),
                              SizeIn(json, "width", place, kMaxImageSide),
                              SizeIn(json, "channels", place, kMaxImageSide)};
  if (format.channels != 1 && format.channels != 3) {
    throw FormatError("{}: {} channels; 1 or 3 are read", place,
                      format.channels);
  }
  return format;
}

}  // namespace heed
