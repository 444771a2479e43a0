// Helpers of tests of image classifiers.
#ifndef HEED_MODELS_IMAGE_CLASSIFIER_TESTING_H_
#define HEED_MODELS_IMAGE_CLASSIFIER_TESTING_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "heed/autograd/observer.h"
#include "heed/base/rng.h"
#include "heed/models/model_testing.h"
#include "heed/models/preset.h"
#include "heed/models/registry.h"
#include "heed/ops/elementwise.h"

namespace heed {

/// Image size of tests/golden/make_golden_images.py.
inline constexpr ImageUse kGoldenImages = {
    .height = 6, .width = 4, .channels = 2, .classes = 3};

inline std::unique_ptr<ImageClassifier> MakeImageClassifier(
    const char* model, const std::vector<const char*>& preset,
    ParameterSet& parameters, const ImageUse& use) {
  const auto settings = SettingsIn<ImageSettings>(FindModel(model));
  const std::vector<Field> fields = FieldsOf(*settings);
  for (const char* one : preset) SetPreset(fields, one);
  settings->Fill(use);
  return settings->Make(Scope(parameters, ""), use);
}

/// Checks scores, loss and gradients against PyTorch.
inline void ExpectGolden(const GoldenTensors& golden, ParameterSet& parameters,
                         const ImageClassifier& network) {
  golden.SetParameters(parameters);
  golden.ExpectSameParameters(parameters);
  Tape tape;
  Context ctx;
  ctx.tape = &tape;
  const Var images = tape.Leaf(golden.at("images"));
  EXPECT_LT(
      MaxDifference(network.Scores(ctx, images).value(), golden.at("scores")),
      1e-10);
  const ImageLoss loss = network.Loss(ctx, images, golden.at("labels"), {});
  EXPECT_NEAR(loss.loss.value().item(), golden.at("loss").item(), 1e-10);
  tape.Backward(loss.loss);
  golden.ExpectGradients(parameters, 1e-10);
  EXPECT_LT(MaxDifference(tape.Gradient(images), golden.at("gradient_images")),
            1e-10);
}

/// Number of images that are classified correctly.
inline int64_t RightImages(const ImageClassifier& network, const Tensor& images,
                           const std::vector<int32_t>& labels) {
  const Tensor scores = network.Scores({}, images).value().To(DType::kF64);
  int64_t right = 0;
  for (int64_t b = 0; b < scores.dim(0); ++b) {
    const double* row = scores.row<double>(b);
    right += std::max_element(row, row + scores.dim(1)) - row ==
                     labels[static_cast<size_t>(b)]
                 ? 1
                 : 0;
  }
  return right;
}

/// Trains on batches Set(64, number of the batch) of 64 images.
template <class Set, class Rate>
void TrainOnImages(const ImageClassifier& network,
                   const ParameterSet& parameters, uint64_t steps,
                   const Rate& rate) {
  Adam adam(parameters);
  for (uint64_t step = 0; step < steps; ++step) {
    const Set batch(64, step);
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    ctx.training = true;
    Rng rng(step);
    ctx.rng = &rng;
    tape.Backward(
        network.Loss(ctx, batch.images, batch.Labels(), {.scale = 1.0 / 64})
            .loss);
    adam.Step(rate(step));
  }
}

/// Observer that stores the cells and multiplies them by `factor`.
class CellWatch : public Observer {
 public:
  bool WantsInput(const std::string& name) override { return name == "source"; }
  Var OnInput(const std::string& /*name*/, const Var& x) override {
    cells = x;
    return Scale(x, factor);
  }
  Var cells;
  double factor = 1;
};

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_CLASSIFIER_TESTING_H_
