#include "course/sprite_classifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/at.h"
#include "heed/data/shuffle.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"
#include "heed/ops/steps.h"
#include "heed/tasks/images/image_classes.h"

namespace heed {
namespace {

constexpr int64_t kSpritesAtOnce = 200;

}  // namespace

SpriteClassifier::SpriteClassifier(const TripletConfig& config,
                                   int64_t channels, uint64_t seed)
    : parameters_(seed, DType::kF32, PrecisionOf(config.precision)),
      trunk_(Scope(parameters_, "trunk"), channels, config.TrunkFilters()),
      hidden_(Scope(parameters_, "hidden"), trunk_.units(), config.units,
              Init()),
      output_(Scope(parameters_, "output"), config.units,
              std::ssize(kSpriteKinds), Init()) {}

Var SpriteClassifier::Scores(const Context& ctx, const Var& frames) const {
  const Var all = trunk_.Activations(ctx, frames);
  const int64_t batch = all.dim(0), places = all.dim(1) * all.dim(2);
  const Tensor lengths =
      Tensor::Of(std::vector<int32_t>(static_cast<size_t>(batch),
                                      static_cast<int32_t>(places)),
                 {batch});
  const Var strongest =
      MaxOverSteps(Reshape(all, {batch, places, all.dim(3)}), lengths);
  return output_(ctx, Relu(hidden_(ctx, strongest)));
}

std::string SpriteObjective::Summary() const {
  return fmt::format("{} clips, {} for validation", train_.clips.size(),
                     valid_.clips.size());
}

EpochPlan SpriteObjective::PlanEpoch(uint64_t seed, int epoch) const {
  auto batches = ShuffledBatches(train_.clips.size() * kTupleFrames,
                                 batch_frames_, seed, epoch);
  for (std::vector<int64_t>& batch : batches) {
    for (int64_t& example : batch) {
      // Frames rotate: each frame of a clip is used in three of five epochs.
      const int64_t clip = example / kTupleFrames;
      example = clip * kWindowFrames + (example + clip + epoch) % kWindowFrames;
    }
  }
  return batches;
}

BatchLoss SpriteObjective::Loss(const Context& ctx,
                                std::span<const int64_t> examples,
                                const LossOptions& options) const {
  std::vector<int32_t> labels;
  for (const int64_t frame : examples) {
    labels.push_back(At(train_.kinds, frame / kWindowFrames));
  }
  ImageLoss loss =
      ImageCrossEntropy(model_.Scores(ctx, ImageBatch(train_.clips, examples)),
                        Tensor::Of(labels, {std::ssize(labels)}),
                        {options.scale, options.smoothing});
  return {std::move(loss.loss), loss.nll * options.scale};
}

Metrics SpriteObjective::Validate(const std::string& /*measure*/) const {
  const double accuracy = SpriteAccuracy(model_, valid_);
  validated_(accuracy);
  return {{"accuracy", accuracy}};
}

double SpriteAccuracy(const SpriteClassifier& model, const MovingSprites& set) {
  return images::AnswersInBatches(
             set.kinds, kSpritesAtOnce,
             [&](int64_t begin, int64_t end) {
               std::vector<int64_t> frames;
               for (int64_t i = begin; i < end; ++i) {
                 frames.push_back(i * kWindowFrames + kWindowFrames / 2);
               }
               const Tensor frame = ImageBatch(set.clips, frames);
               return LogSoftmax(model.Scores({}, frame)).value();
             })
      .accuracy();
}

}  // namespace heed
