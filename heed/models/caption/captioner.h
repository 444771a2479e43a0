// What writes about images.
#ifndef HEED_MODELS_CAPTION_CAPTIONER_H_
#define HEED_MODELS_CAPTION_CAPTIONER_H_

#include <cstdint>
#include <memory>

#include "heed/models/decoder.h"
#include "heed/models/image_classifier.h"
#include "heed/models/roles.h"

namespace heed {

/// A decoder whose sources are cells of images. An observer knows the pixels of
/// the cells, squares row by row, as "source": [B, S, cell² C]. Immutable but
/// for its parameters.
class Captioner : public Decoder {
 public:
  /// What Inputs::Cells takes. Shapes: images [B, H, W, C] in 0 to 1, result
  /// [B, Y, X, F]. Throws: ShapeError.
  virtual Var Cells(const Context& ctx, const Var& images) const = 0;
  /// Side of a cell in pixels.
  virtual int64_t cell() const = 0;

 protected:
  using Decoder::Decoder;
};

/// Reads images and writes a text.
class CaptionerSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "captioner";

  /// As TranslatorSettings::Fill, for such images, whatever their classes.
  /// Throws: ConfigError.
  virtual void Fill(const ImageUse& use) = 0;
  /// Of settings that are filled. Throws: ConfigError.
  virtual std::unique_ptr<Captioner> Make(const ImageUse& use,
                                          int64_t vocabulary, uint64_t seed,
                                          DType dtype = DType::kF32) const = 0;
};

}  // namespace heed

#endif  // HEED_MODELS_CAPTION_CAPTIONER_H_
