// Classifiers of the temporal order of three frames.
#ifndef HEED_MODELS_FRAME_ORDER_FRAME_ORDER_H_
#define HEED_MODELS_FRAME_ORDER_FRAME_ORDER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "heed/models/image_classifier.h"
#include "heed/models/settings.h"
#include "heed/nn/convolution_stack.h"
#include "heed/nn/linear.h"

namespace heed {

/// Number of frames of a strip, from left to right.
inline constexpr int64_t kStripFrames = 3;

/// Role: reads strips of kStripFrames adjacent frames and scores the classes
/// "in order" and "out of order".
class FrameOrderSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "judge of the order of frames";

  /// Replaces "auto" and 0 by the model's defaults for these strips. Throws:
  /// ConfigError.
  virtual void Fill(const ImageUse& strips) = 0;
  /// Makes a classifier; settings must be filled. Throws: ConfigError.
  virtual std::unique_ptr<ImageClassifier> Make(
      const Scope& scope, const ImageUse& strips) const = 0;
};

/// User-facing configuration of a TripletClassifier.
struct TripletConfig {
  int filters = 12;
  int features = 64;
  int units = 64;
  double dropout = 0;
  int cell = 0;
  Named<NumberFormat> precision = NumberFormat::kF32;

  void Visit(FieldList& v);
  /// Replaces "auto" and 0. Throws: ConfigError.
  void Fill(const ImageUse& strips);
  /// Number of filters of each layer of the trunk.
  std::vector<int64_t> TrunkFilters() const;
};

/// A shared trunk and layer for all three frames, and a joint head:
///   z_i = relu(W trunk(x_i) + b)    scores = V relu(U [z_1; z_2; z_3] + c) + d
/// Parameters: trunk, features, hidden, output. Paper: Misra et al. 2016,
/// arXiv:1603.08561, section 3.2 (there with AlexNet as the trunk, and scores
/// as a linear map of [z_1; z_2; z_3]).
class TripletClassifier : public ImageClassifier {
 public:
  /// Throws: ConfigError for strips that do not divide into frames.
  TripletClassifier(const Scope& scope, const TripletConfig& config,
                    const ImageUse& strips);

  Var Scores(const Context& ctx, const Var& strips) const override;
  int64_t cell() const override { return cell_; }
  ModelOutline Outline() const override;

  const ConvolutionStack& trunk() const { return trunk_; }

 private:
  ImageUse use_;
  int64_t cell_;
  double dropout_;
  ConvolutionStack trunk_;
  Linear features_;
  Linear hidden_;
  Linear output_;
};

/// Splits strips into frames: all first frames, then all second ones, then all
/// third ones. Shapes: strips [B, H, 3 W, C], result [3 B, H, W, C]. Throws:
/// ShapeError.
Var FramesOfStrips(const Var& strips);

}  // namespace heed

#endif  // HEED_MODELS_FRAME_ORDER_FRAME_ORDER_H_
