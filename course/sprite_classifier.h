// Classifier of sprites: the supervised control of the frame order task.
#ifndef HEED_COURSE_SPRITE_CLASSIFIER_H_
#define HEED_COURSE_SPRITE_CLASSIFIER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "course/data/moving_sprites.h"
#include "heed/models/frame_order/frame_order.h"
#include "heed/train/trainable.h"

namespace heed {

/// Trunk of a TripletClassifier, global maximum over all positions (the class
/// does not depend on the position), and scores of kSpriteKinds: relu(W x + b),
/// then linear. Parameters: trunk, hidden, output.
class SpriteClassifier {
 public:
  SpriteClassifier(const TripletConfig& config, int64_t channels,
                   uint64_t seed);

  /// Shapes: frames [N, H, W, C], result [N, kinds].
  Var Scores(const Context& ctx, const Var& frames) const;
  const ConvolutionStack& trunk() const { return trunk_; }
  ParameterSet& parameters() { return parameters_; }

 private:
  ParameterSet parameters_;
  ConvolutionStack trunk_;
  Linear hidden_;
  Linear output_;
};

/// Cross entropy of the sprite class on kTupleFrames frames of each clip, which
/// rotate from epoch to epoch. Validation is on the middle frames of other
/// clips. The sets must outlive the object.
class SpriteObjective : public Trainable {
 public:
  /// `validated` receives the accuracy after each validation. Units: percent.
  SpriteObjective(SpriteClassifier& model, const MovingSprites& train,
                  const MovingSprites& valid, int batch_frames,
                  std::function<void(double)> validated)
      : model_(model),
        train_(train),
        valid_(valid),
        batch_frames_(batch_frames),
        validated_(std::move(validated)) {}

  ParameterSet& parameters() override { return model_.parameters(); }
  std::string Summary() const override;
  std::string Checksum() const override { return Summary(); }
  EpochPlan PlanEpoch(uint64_t seed, int epoch) const override;
  BatchLoss Loss(const Context& ctx, std::span<const int64_t> examples,
                 const LossOptions& options) const override;
  std::vector<MeasureInfo> Measures() const override {
    return {{"accuracy", true}};
  }
  std::string loss_measure() const override { return "accuracy"; }
  bool has_valid() const override { return true; }
  Metrics Validate(const std::string& measure) const override;

 private:
  SpriteClassifier& model_;
  const MovingSprites& train_;
  const MovingSprites& valid_;
  int batch_frames_;
  std::function<void(double)> validated_;
};

/// Returns the accuracy on the middle frames of clips. Units: percent.
double SpriteAccuracy(const SpriteClassifier& model, const MovingSprites& set);

}  // namespace heed

#endif  // HEED_COURSE_SPRITE_CLASSIFIER_H_
