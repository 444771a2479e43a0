// Image classifiers.
#ifndef HEED_MODELS_IMAGE_CLASSIFIER_H_
#define HEED_MODELS_IMAGE_CLASSIFIER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/base/model_outline.h"
#include "heed/models/roles.h"

namespace heed {

/// Size of images and number of classes.
struct ImageUse {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 1;
  int64_t classes = 2;
  /// True for captioners of features: height and width count cells, channels
  /// the features of a cell.
  bool of_features = false;
};

struct ImageLossOptions {
  double scale = 1;      ///< factor of the sum over images and its gradient
  double smoothing = 0;  ///< label smoothing, in [0, 1)
};

struct ImageLoss {
  Var loss;        ///< scale · Σ of the minimised loss
  double nll = 0;  ///< Σ −log p of the labels, without smoothing
};

/// Cross-entropy of scores [B, K], which are consumed, and labels i32 [B].
ImageLoss ImageCrossEntropy(Var scores, const Tensor& labels,
                            const ImageLossOptions& options);

/// Square window of an image, possibly partly outside. Units: pixels.
struct ImageWindow {
  int64_t left = 0;
  int64_t top = 0;
  int64_t side = 0;
  Tensor seen = {};  ///< content as seen by the model, [N, N, C] in 0 to 1
};

/// Windows of one look, smallest first.
struct ImageLook {
  std::vector<ImageWindow> windows;
};

/// Image classifier. Observers receive the cells of an image, squares row by
/// row, as "source": their pixels [B, S, cell² C]. Immutable except for its
/// parameters.
class ImageClassifier {
 public:
  virtual ~ImageClassifier() = default;

  /// Scores of the classes. Shapes: images [B, H, W, C] in 0 to 1, result [B,
  /// K]. Throws: ShapeError.
  virtual Var Scores(const Context& ctx, const Var& images) const = 0;
  /// Training loss; by default the cross-entropy of the scores. Shapes: labels
  /// i32 [B].
  virtual ImageLoss Loss(const Context& ctx, const Var& images,
                         const Tensor& labels,
                         const ImageLossOptions& options) const {
    return ImageCrossEntropy(Scores(ctx, images), labels, options);
  }
  /// Side of the cells, a divisor of height and width.
  virtual int64_t cell() const = 0;
  /// Looks at the first of these images, in order; empty if the model sees the
  /// whole image.
  virtual std::vector<ImageLook> Looks(const Context& /*ctx*/,
                                       const Var& /*images*/) const {
    return {};
  }
  /// Structure for diagrams, without the name, which TaskModel adds; undefined
  /// if not provided.
  virtual ModelOutline Outline() const { return {}; }
};

/// Role: classifies images.
class ImageSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "classifier of images";

  /// Replaces "auto" and 0 by the model's defaults for these images. Throws:
  /// ConfigError.
  virtual void Fill(const ImageUse& use) = 0;
  /// Default learning rate of the model; settings must be filled.
  virtual double learning_rate() const { return 1e-3; }
  /// Throws: ConfigError.
  virtual std::unique_ptr<ImageClassifier> Make(const Scope& scope,
                                                const ImageUse& use) const = 0;
};

/// Common divisor of both sides that gives the number of cells along the longer
/// side nearest to seven.
int64_t UsualCell(const ImageUse& use);

/// Throws: ConfigError, naming the setting, unless `cell` divides the sides.
void CheckCell(const char* setting, int64_t cell, const ImageUse& use);

/// The images after an observer saw or replaced their cells. Shapes: images and
/// result [B, H, W, C].
Var ObservedImages(const Context& ctx, const Var& images, int64_t cell);

/// Throws: ShapeError, naming `where`, unless the images have the model's size.
void CheckImages(const char* where, const Var& images, const ImageUse& use);

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_CLASSIFIER_H_
