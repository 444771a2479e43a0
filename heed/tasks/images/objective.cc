#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/base/rng.h"
#include "heed/data/shuffle.h"
#include "heed/io/file.h"
#include "heed/ops/loss.h"
#include "heed/tasks/images/images.h"
#include "heed/train/progress.h"

namespace heed::images {
namespace {

/// Batch size of images without gradients.
constexpr int64_t kImagesAtOnce = 256;

std::string ComputeImagesChecksum(const Data& data) {
  std::string sums;
  for (const ImageSet* set : {&data.train, &data.valid}) {
    sums += fmt::format("{:08x} ", PixelChecksum(*set));
    for (const int32_t label : set->labels) sums += std::to_string(label) + ' ';
  }
  return fmt::format("{:08x}", Crc32(sums));
}

/// Cross entropy of image classes, or the model's own training loss.
class ImageObjective : public ObjectiveOf<Model> {
 public:
  ImageObjective(const Settings& settings, Data data, Model& model,
                 uint64_t seed)
      : ObjectiveOf(model, settings.Measures(data)),
        seed_(seed),
        checksum_(ComputeImagesChecksum(data)),
        train_(std::move(data.train)),
        // Validation images are placed on their canvas once, with another seed.
        valid_(
            OnCanvas(data.valid, Unshifted(settings.data.canvas), seed + 1)) {}

  std::string unit() const override { return "image"; }
  std::string Summary() const override {
    return fmt::format("{} of {} × {} pixels, {} for validation; {} classes",
                       Counted(train_.size(), "image"), model_.format.width,
                       model_.format.height, valid_.size(),
                       model_.classes.size());
  }
  std::string Checksum() const override { return checksum_; }
  /// Image i of epoch k is example k·N + i, since each epoch places images on
  /// new canvases.
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override {
    return NumberedBatches(train_.size(), model_.config.data.batch_images, seed,
                           epoch);
  }
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::string loss_measure() const override { return "nll"; }
  bool has_valid() const override { return valid_.size() > 0; }
  Metrics Validate(const std::string& /*measure*/) const override {
    const ImageAnswers answers = AnswersOf(model_, valid_);
    return {{"accuracy", answers.accuracy()}, {"nll", answers.nll}};
  }

 private:
  static CanvasConfig Unshifted(CanvasConfig canvas) {
    canvas.shift = 0;
    return canvas;
  }

  uint64_t seed_;
  std::string checksum_;
  ImageSet train_;
  ImageSet valid_;
};

BatchLoss ImageObjective::Loss(const Context& ctx,
                               std::span<const int64_t> examples,
                               const LossOptions& options) const {
  const int64_t count = train_.size();
  std::vector<int64_t> images;
  Tensor labels({std::ssize(examples)}, DType::kI32);
  for (const int64_t example : examples) {
    const int64_t image = example % count;
    labels.data<int32_t>()[images.size()] = At(train_.labels, image);
    images.push_back(image);
  }
  const auto epoch = static_cast<int>(examples[0] / count);
  const Tensor pixels =
      CanvasBatch(train_, images, model_.config.data.canvas, seed_, epoch);
  ImageLoss loss = model_.network->Loss(ctx, pixels, labels,
                                        {options.scale, options.smoothing});
  return {std::move(loss.loss), loss.nll * options.scale};
}

}  // namespace

ImageAnswers AnswersOf(const Model& model, const ImageSet& set) {
  return AnswersInBatches(
      set.labels, kImagesAtOnce, [&](int64_t begin, int64_t end) {
        std::vector<int64_t> indices(static_cast<size_t>(end - begin));
        std::iota(indices.begin(), indices.end(), begin);
        return model.LogProbabilities({}, ImageBatch(set, indices));
      });
}

std::unique_ptr<Trainable> Settings::MakeObjective(Data read, Model& made,
                                                   uint64_t seed) const {
  CheckSameSize(read.train.format, made.own_format);
  if (read.train.classes != made.classes) {
    throw FormatError("the images have other classes than the model");
  }
  return std::make_unique<ImageObjective>(*this, std::move(read), made, seed);
}

}  // namespace heed::images
