// What looks at images and gives a score to each class.
#ifndef HEED_MODELS_IMAGE_CLASSIFIER_H_
#define HEED_MODELS_IMAGE_CLASSIFIER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/base/model_outline.h"
#include "heed/models/roles.h"

namespace heed {

/// Images that a classifier reads, and how many classes there are.
struct ImageUse {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 1;
  int64_t classes = 2;
};

struct ImageLossOptions {
  double scale = 1;      ///< of the sum over images, and so of its gradient
  double smoothing = 0;  ///< of labels, in [0, 1)
};

struct ImageLoss {
  Var loss;        ///< scale · Σ of what is minimised
  double nll = 0;  ///< Σ −log p of the labels, not smoothed
};

/// Cross entropy of scores [B, K], which are consumed, and labels i32 [B].
ImageLoss ImageCrossEntropy(Var scores, const Tensor& labels,
                            const ImageLossOptions& options);

/// A square of an image, which may be partly outside. Units: pixels.
struct ImageWindow {
  int64_t left = 0;
  int64_t top = 0;
  int64_t side = 0;
  Tensor seen = {};  ///< what was seen in it, [N, N, C] in 0 to 1
};

/// What is seen at once, the smallest window first.
struct ImageLook {
  std::vector<ImageWindow> windows;
};

/// An observer knows the cells of an image, squares row by row, as "source":
/// their pixels [B, S, cell² C]. Immutable but for its parameters.
class ImageClassifier {
 public:
  virtual ~ImageClassifier() = default;

  /// Shapes: images [B, H, W, C] in 0 to 1, result [B, K]. Throws: ShapeError.
  virtual Var Scores(const Context& ctx, const Var& images) const = 0;
  /// What it learns from, by default the cross entropy of the scores. Shapes:
  /// labels i32 [B].
  virtual ImageLoss Loss(const Context& ctx, const Var& images,
                         const Tensor& labels,
                         const ImageLossOptions& options) const {
    return ImageCrossEntropy(Scores(ctx, images), labels, options);
  }
  /// Side of the cells, a divisor of height and width.
  virtual int64_t cell() const = 0;
  /// Where it looks at the first of these images, one look after the other;
  /// none: it sees the whole.
  virtual std::vector<ImageLook> Looks(const Context& /*ctx*/,
                                       const Var& /*images*/) const {
    return {};
  }
  /// What it is made of, but for its name, as TaskModel has it; undefined: it
  /// does not say.
  virtual ModelOutline Outline() const { return {}; }
};

/// Reads images.
class ImageSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "classifier of images";

  /// As TranslatorSettings::Fill, for such images. Throws: ConfigError.
  virtual void Fill(const ImageUse& use) = 0;
  /// Of settings that are filled: the step size that suits it.
  virtual double learning_rate() const { return 1e-3; }
  /// Throws: ConfigError.
  virtual std::unique_ptr<ImageClassifier> Make(const Scope& scope,
                                                const ImageUse& use) const = 0;
};

/// The divisor of both sides whose cells are nearest to seven along the longer
/// one.
int64_t UsualCell(const ImageUse& use);

/// Throws: ConfigError, naming the setting, unless `cell` divides the sides.
void CheckCell(const char* setting, int64_t cell, const ImageUse& use);

/// The images, or what an observer puts in the place of their cells. Shapes:
/// images and result [B, H, W, C].
Var ObservedImages(const Context& ctx, const Var& images, int64_t cell);

/// Throws: ShapeError, naming `where`, for other images than a model's.
void CheckImages(const char* where, const Var& images, const ImageUse& use);

}  // namespace heed

#endif  // HEED_MODELS_IMAGE_CLASSIFIER_H_
