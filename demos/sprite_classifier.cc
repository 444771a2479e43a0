#include "demos/sprite_classifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/data/shuffle.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"
#include "heed/ops/steps.h"

namespace heed {
namespace {

constexpr int64_t kSpritesAtOnce = 200;

}  // namespace

SpriteClassifier::SpriteClassifier(const TripletConfig& config,
                                   int64_t channels, uint64_t seed)
    : parameters_(seed, DType::kF32, PrecisionOf(config.precision)),
      trunk_(Scope(parameters_, "trunk"), channels, config.filters),
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

std::vector<std::vector<int64_t>> SpriteObjective::PlanEpoch(uint64_t seed,
                                                             int epoch) const {
  auto batches = ShuffledBatches(train_.clips.size() * kTupleFrames,
                                 batch_frames_, seed, epoch);
  for (std::vector<int64_t>& batch : batches) {
    for (int64_t& example : batch) {
      // By turns: each frame of a clip in three epochs of five.
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
    labels.push_back(train_.kinds[static_cast<size_t>(frame / kWindowFrames)]);
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
  int64_t right = 0;
  const int64_t clips = set.clips.size();
  for (int64_t begin = 0; begin < clips; begin += kSpritesAtOnce) {
    std::vector<int64_t> frames;
    for (int64_t i = begin; i < std::min(clips, begin + kSpritesAtOnce); ++i) {
      frames.push_back(i * kWindowFrames + kWindowFrames / 2);
    }
    const Tensor scores =
        model.Scores({}, ImageBatch(set.clips, frames)).value();
    for (int64_t b = 0; b < scores.dim(0); ++b) {
      const float* row = scores.row<float>(b);
      right += std::max_element(row, row + scores.dim(1)) - row ==
                       set.kinds[static_cast<size_t>(begin + b)]
                   ? 1
                   : 0;
    }
  }
  return 100 * static_cast<double>(right) / static_cast<double>(clips);
}

}  // namespace heed
