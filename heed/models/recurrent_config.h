// Configuration of recurrent encoder-decoders.
#ifndef HEED_MODELS_RECURRENT_CONFIG_H_
#define HEED_MODELS_RECURRENT_CONFIG_H_

#include <string>

#include "heed/base/config.h"

namespace heed {

/// Every choice of a recurrent encoder-decoder. "auto" and 0 mean what the
/// model's paper does; Resolve replaces them.
struct RecurrentConfig {
  std::string model = "bahdanau";  // not visited: see ModelChoice
  std::string variant = "auto";

  int embedding = 256;
  int units = 256;
  int encoder_units = 0;
  int layers = 0;
  std::string cell = "auto";
  std::string bidirectional = "auto";
  std::string reverse_source = "auto";
  std::string bridge = "auto";

  std::string attention = "auto";
  std::string score = "auto";
  std::string modifiers = "none";
  std::string attention_mask = "none";
  std::string normalizer = "softmax";
  int heads = 1;
  double attention_dropout = 0;
  int attention_units = 0;
  int mlp_layers = 2;
  int positions = 100;
  std::string input_feeding = "auto";

  std::string readout = "auto";
  int readout_units = 0;
  std::string readout_state = "auto";
  bool tie_output = false;

  double dropout = 0.2;
  bool variational = false;
  std::string init = "glorot";
  double init_scale = 0.08;
  std::string precision = "f32";

  void Visit(FieldList& v);

  /// Replaces every "auto" and 0 by what the variant of `model` in the registry
  /// does, and checks that the choices fit together. Throws: ConfigError.
  void Resolve();
};

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_CONFIG_H_
