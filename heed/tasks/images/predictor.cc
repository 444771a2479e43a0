#include "heed/tasks/images/images.h"

namespace heed {

Image ImageModel::Prepared(const Image& image,
                           const std::string& /*place*/) const {
  const bool on_canvas = config.data.canvas.canvas > 0 &&
                         image.height <= format.height &&
                         image.width <= format.width;
  if (!on_canvas) return Fitted(image, format);
  // As large as those of training were.
  const Image own = image.height == format.height && image.width == format.width
                        ? WithChannels(image, format.channels)
                        : Fitted(image, own_format);
  return Centred(own, format);
}

std::unique_ptr<Predictor> ImageTaskSettings::Predicting(
    const ImageModel& made, ImagePrediction options) const {
  return std::make_unique<ImageClassPredictor>(made, options);
}

}  // namespace heed
