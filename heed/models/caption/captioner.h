// Image captioners.
#ifndef HEED_MODELS_CAPTION_CAPTIONER_H_
#define HEED_MODELS_CAPTION_CAPTIONER_H_

#include <cstdint>
#include <memory>

#include "heed/models/decoder.h"
#include "heed/models/image_classifier.h"
#include "heed/models/roles.h"

namespace heed {

/// Decoder whose sources are cells of images. Observers receive the pixels of
/// the cells, squares row by row, as "source": [B, S, cell² C]. Immutable
/// except for its parameters.
class Captioner : public Decoder {
 public:
  /// Input of Inputs::Cells. Shapes: images [B, H, W, C] in 0 to 1, or features
  /// of cells [B, Y, X, C]; result [B, Y, X, F]. Throws: ShapeError.
  virtual Var Cells(const Context& ctx, const Var& images) const = 0;
  /// Side of a cell in pixels; 1 for features.
  virtual int64_t cell() const = 0;

 protected:
  using Decoder::Decoder;
};

/// Role: reads images and writes a text.
class CaptionerSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "captioner";

  /// Replaces "auto" and 0 by the model's defaults for these images;
  /// use.classes is ignored. Throws: ConfigError.
  virtual void Fill(const ImageUse& use) = 0;
  /// Makes a captioner; settings must be filled. Throws: ConfigError.
  virtual std::unique_ptr<Captioner> Make(const ImageUse& use,
                                          int64_t vocabulary, uint64_t seed,
                                          DType dtype = DType::kF32) const = 0;
};

}  // namespace heed

#endif  // HEED_MODELS_CAPTION_CAPTIONER_H_
