
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/tasks/order/order.h"
#include "heed/tasks/text_vocabulary.h"

namespace heed::order {
namespace {

constexpr const char* kFrameFile = "frame.json";

ImageUse StripUse(const ImageFormat& frame) {
  const ImageFormat strip = StripFormat(frame);
  return {strip.height, strip.width, strip.channels, 2};
}

Config FilledForFrames(Config config, const ImageFormat& frame) {
  config.model->Fill(StripUse(frame));
  return config;
}

}  // namespace

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  const std::string place = PathIn(folder, kFrameFile);
  return std::make_unique<Model>(
      *this,
      FormatFromJson(ParseJson(FindFile(files, folder, kFrameFile), place),
                     place),
      seed);
}

Model::Model(Config settings, const ImageFormat& one, uint64_t seed)
    : images::ImageClassesModel(StripFormat(one), {"in order", "out of order"}),
      frame(one),
      config(FilledForFrames(std::move(settings), one)),
      parameters_(seed, DType::kF32, config.model->precision()),
      network(config.model->Make(Scope(parameters_, ""), StripUse(one))) {}

ModelFiles Model::Files() const {
  return {{kFrameFile, ToJson(frame).dump(2) + "\n"}};
}

Image Model::Prepared(const Image& image, const std::string& place) const {
  // The strip must have the aspect ratio of three frames.
  if (image.height * format.width != image.width * format.height) {
    throw FormatError(
        "{}: {} × {} pixels are no strip; it has three frames side by side, as "
        "{} × {} pixels",
        place, image.width, image.height, format.width, format.height);
  }
  return Fitted(image, format);
}

}  // namespace heed::order
