// Configuration of recurrent encoders with attention over their own states.
#ifndef HEED_MODELS_RNN_CONFIG_H_
#define HEED_MODELS_RNN_CONFIG_H_

#include <string>

#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"

namespace heed {

/// Every choice of an RnnEncoder. "auto" and 0 mean what suits its use; Resolve
/// replaces them.
struct RnnConfig {
  std::string cell = "lstm";
  int units = 200;
  int layers = 1;
  std::string bidirectional = "auto";

  std::string self_attention = "auto";
  std::string score = "additive";
  std::string modifiers = "none";
  std::string normalizer = "softmax";
  int heads = 1;
  int attention_units = 0;
  int positions = 100;
  double attention_dropout = 0;
  std::string combine = "concat";

  double dropout = 0.5;
  bool variational = false;
  std::string init = "glorot";
  double init_scale = 0.08;
  double forget_gate_bias = 0;
  std::string precision = "f32";

  void Visit(FieldList& v);

  /// Replaces every "auto" and 0, and checks that the choices fit together. A
  /// causal encoder may not see what comes later.
  /// Throws: ConfigError.
  void Resolve(bool causal);
};

/// How the matrices of a resolved config start: those of inputs, and those of
/// recurrences.
Init InputInit(const RnnConfig& config);
Init RecurrentInit(const RnnConfig& config);

}  // namespace heed

#endif  // HEED_MODELS_RNN_CONFIG_H_
