#include <fmt/format.h>

#include "heed/base/errors.h"
#include "heed/data/numbers.h"
#include "heed/tasks/order/order.h"

namespace heed {
namespace {

/// "in order", tab, its probability.
class OrderPredictor : public ImageClassPredictor {
 public:
  using ImageClassPredictor::ImageClassPredictor;

 protected:
  std::vector<Answer> Answers(std::span<const Input> inputs,
                              const ImagePrediction& options,
                              const PredictCall& call) const override {
    std::vector<Answer> answers =
        ImageClassPredictor::Answers(inputs, options, call);
    for (Answer& answer : answers) {
      if (options.probabilities) continue;
      const auto& chosen = answer.parts.at("classes").at(0);
      answer.line += '\t' + ExactNumber(chosen.at("probability").get<double>());
    }
    return answers;
  }
};

}  // namespace

Image OrderModel::Prepared(const Image& image, const std::string& place) const {
  // As high and wide as three frames of the network's shape.
  if (image.height * format.width != image.width * format.height) {
    throw FormatError(
        "{}: {} × {} pixels are no strip; it has three frames side by side, as "
        "{} × {} pixels",
        place, image.width, image.height, format.width, format.height);
  }
  return Fitted(image, format);
}

std::unique_ptr<Predictor> OrderTaskSettings::Predicting(
    const OrderModel& made, ImagePrediction options) const {
  return std::make_unique<OrderPredictor>(made, options);
}

}  // namespace heed
