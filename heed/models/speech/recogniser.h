// Speech recognisers.
#ifndef HEED_MODELS_SPEECH_RECOGNISER_H_
#define HEED_MODELS_SPEECH_RECOGNISER_H_

#include <cstdint>
#include <memory>

#include "heed/models/decoder.h"
#include "heed/models/roles.h"

namespace heed {

/// Role: reads frames of a sound and writes a text. Observers receive the
/// frames as "source": [B, S, features].
class RecogniserSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "recogniser";

  /// Replaces "auto" and 0 by the model's defaults. Throws: ConfigError.
  virtual void Fill() = 0;
  /// Makes a decoder for Inputs::Frames with `features` features; settings must
  /// be filled. Throws: ConfigError.
  virtual std::unique_ptr<Decoder> Make(int64_t features, int vocabulary,
                                        uint64_t seed,
                                        DType dtype = DType::kF32) const = 0;
};

}  // namespace heed

#endif  // HEED_MODELS_SPEECH_RECOGNISER_H_
