
#include "heed/data/numbers.h"
#include "heed/tasks/order/order.h"

namespace heed::order {
namespace {

/// Predicts "in order", tab, its probability.
class OrderPredictor : public images::ImageClassPredictor {
 public:
  using images::ImageClassPredictor::ImageClassPredictor;

 protected:
  std::vector<Answer> Predict(std::span<const Input> inputs,
                              const images::Prediction& options,
                              const PredictCall& call) const override {
    std::vector<Answer> answers =
        images::ImageClassPredictor::Predict(inputs, options, call);
    for (Answer& answer : answers) {
      if (options.probabilities) continue;
      const auto& chosen = answer.parts.at("classes").at(0);
      answer.line += '\t' + ExactNumber(chosen.at("probability").get<double>());
    }
    return answers;
  }
};

}  // namespace

std::unique_ptr<Predictor> Settings::MakePredictor(
    const Model& made, images::Prediction options) const {
  return std::make_unique<OrderPredictor>(made, options);
}
}  // namespace heed::order
