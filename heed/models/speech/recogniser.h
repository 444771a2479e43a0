// What writes down what is said in a sound.
#ifndef HEED_MODELS_SPEECH_RECOGNISER_H_
#define HEED_MODELS_SPEECH_RECOGNISER_H_

#include <cstdint>
#include <memory>

#include "heed/models/decoder.h"
#include "heed/models/roles.h"

namespace heed {

/// Reads frames of a sound and writes a text. An observer knows the frames as
/// "source": [B, S, features].
class RecogniserSettings : public ModelSettings {
 public:
  static constexpr const char* kRole = "recogniser";

  /// As TranslatorSettings::Fill.
  virtual void Fill() = 0;
  /// Of settings that are filled: a decoder of Inputs::Frames of so many
  /// features. Throws: ConfigError.
  virtual std::unique_ptr<Decoder> Make(int64_t features, int vocabulary,
                                        uint64_t seed,
                                        DType dtype = DType::kF32) const = 0;
};

}  // namespace heed

#endif  // HEED_MODELS_SPEECH_RECOGNISER_H_
