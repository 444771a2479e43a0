#include "heed/tasks/images/images.h"

namespace heed::images {

std::unique_ptr<Predictor> Settings::MakePredictor(const Model& made,
                                                   Prediction options) const {
  return std::make_unique<ImageClassPredictor>(made, options);
}
}  // namespace heed::images
