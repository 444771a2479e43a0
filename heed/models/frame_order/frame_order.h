// What judges the order of three frames.
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

/// Frames of a strip, from left to right.
inline constexpr int64_t kStripFrames = 3;

/// Reads strips, kStripFrames frames side by side, and gives a score to each
/// class: in order, out of order.
class FrameOrderSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "judge of the order of frames";

  /// As TranslatorSettings::Fill, for such strips. Throws: ConfigError.
  virtual void Fill(const ImageUse& strips) = 0;
  /// Of settings that are filled. Throws: ConfigError.
  virtual std::unique_ptr<ImageClassifier> Make(
      const Scope& scope, const ImageUse& strips) const = 0;
};

/// As the user writes it.
struct TripletConfig {
  int filters = 12;
  int features = 64;
  int units = 64;
  double dropout = 0;
  int cell = 0;
  Named<NumberFormat> precision = NumberFormat::kF32;

  void Visit(FieldList& v);
  /// Replaces what is left open. Throws: ConfigError.
  void Fill(const ImageUse& strips);
  /// Of the layers of the trunk.
  std::vector<int64_t> TrunkFilters() const;
};

/// One trunk and one layer for all three frames, and one for what they say
/// together:
///   z_i = relu(W trunk(x_i) + b)    scores = V relu(U [z_1; z_2; z_3] + c) + d
/// Parameters: trunk, features, hidden, output.
/// Paper: Misra et al. 2016, arXiv:1603.08561, section 3.2 (there with AlexNet
/// as the trunk, and scores as a linear map of [z_1; z_2; z_3]).
class TripletClassifier : public ImageClassifier {
 public:
  /// Throws: ConfigError for strips that are no frames side by side.
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

/// The frames of strips: first all first ones, then all second ones. Shapes:
/// strips [B, H, 3 W, C], result [3 B, H, W, C]. Throws: ShapeError.
Var FramesOfStrips(const Var& strips);

}  // namespace heed

#endif  // HEED_MODELS_FRAME_ORDER_FRAME_ORDER_H_
