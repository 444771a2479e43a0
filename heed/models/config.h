// Which model, and what its family lets one choose.
#ifndef HEED_MODELS_CONFIG_H_
#define HEED_MODELS_CONFIG_H_

#include <string>
#include <vector>

#include "heed/base/config.h"
#include "heed/models/model_info.h"
#include "heed/models/recurrent_config.h"
#include "heed/models/transformer_config.h"

namespace heed {

/// Models that share a set of settings.
enum class ModelFamily : uint8_t {
  kRecurrent,    // encoder-decoders: fixed, bahdanau, luong
  kTransformer,  // with or without a decoder
};

/// A model by its name, with the settings of its family. The settings of the
/// other families are not visited.
struct ModelConfig {
  /// `families`: those that can be chosen.
  explicit ModelConfig(std::vector<ModelFamily> families =
                           {ModelFamily::kRecurrent, ModelFamily::kTransformer})
      : families(std::move(families)) {}

  std::string model = "bahdanau";
  RecurrentConfig recurrent;
  TransformerConfig transformer;
  std::vector<ModelFamily> families;

  ModelFamily family() const;
  /// "f32" or "bf16".
  const std::string& precision() const;
  /// "; ..." to be told if this processor does not have the precision.
  std::string PrecisionNote() const;
  /// Throws: ConfigError that lists the names.
  void Choose(const std::string& name);
  /// `model`, and the settings of its family.
  void Visit(FieldList& v);
  /// Replaces every "auto" and 0 by what the model says, and checks that the
  /// choices fit together. Throws: ConfigError.
  void Resolve();
};

/// All models, a line of `heed list models` each.
std::vector<ModelInfo> Models();

}  // namespace heed

#endif  // HEED_MODELS_CONFIG_H_
