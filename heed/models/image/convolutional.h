// Convolutional network for images.
#ifndef HEED_MODELS_IMAGE_CONVOLUTIONAL_H_
#define HEED_MODELS_IMAGE_CONVOLUTIONAL_H_

#include <string>

#include "heed/models/image_classifier.h"
#include "heed/models/settings.h"
#include "heed/nn/convolution_stack.h"
#include "heed/nn/linear.h"

namespace heed {

/// User-facing configuration of a ConvolutionalClassifier.
struct ConvolutionalConfig {
  int filters = 32;
  int units = 128;
  double dropout = 0.3;
  int cell = 0;
  Named<NumberFormat> precision = NumberFormat::kF32;

  void Visit(FieldList& v);
  /// Replaces "auto" and 0. Throws: ConfigError.
  void Fill(const ImageUse& use);
};

/// relu(3 × 3), 2 × 2 max pooling, relu(3 × 3) with twice as many filters, 2 ×
/// 2 max pooling, relu(W x + b), scores. Parameters: first, second, hidden,
/// output. Paper: LeCun et al. 1998, Gradient-based learning applied to
/// document recognition.
class ConvolutionalClassifier : public ImageClassifier {
 public:
  ConvolutionalClassifier(const Scope& scope, const ConvolutionalConfig& config,
                          const ImageUse& use);

  Var Scores(const Context& ctx, const Var& images) const override;
  int64_t cell() const override { return cell_; }
  ModelOutline Outline() const override;

 private:
  ImageUse use_;
  int64_t cell_;
  double dropout_;
  ConvolutionStack layers_;
  Linear hidden_;
  Linear output_;
};

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_CONVOLUTIONAL_H_
