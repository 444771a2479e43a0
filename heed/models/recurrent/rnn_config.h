// Configuration of recurrent encoders with attention over their own states.
#ifndef HEED_MODELS_RECURRENT_RNN_CONFIG_H_
#define HEED_MODELS_RECURRENT_RNN_CONFIG_H_

#include <optional>
#include <string>

#include "heed/models/settings.h"
#include "heed/nn/recurrent.h"

namespace heed {

enum class AttendedStates : uint8_t { kNone, kFull, kCausal, kStrict };
constexpr auto WordsOf(AttendedStates) {
  return std::array{"none", "full", "causal", "strict"};
}

enum class Combine : uint8_t { kConcat, kTanh };
constexpr auto WordsOf(Combine) { return std::array{"concat", "tanh"}; }

/// What an RnnEncoder is made of.
struct ResolvedRnn {
  EncoderOptions recurrent;  // but for its inputs
  /// But for the sizes of queries and keys; none: states alone.
  std::optional<AttentionSpec> attention;
  bool concat = true;  // [h; c], else tanh(W [h; c] + b)
  double dropout = 0;
  bool variational = false;
  kernels::Precision precision = kernels::Precision::kNative;
};

/// Every choice of an RnnEncoder, as the user writes it. "auto" and 0 mean what
/// suits its use.
struct RnnConfig : RecurrentAttentionSettings, RecurrentNumbers {
  RnnConfig() {
    score = "additive";
    dropout = 0.5;
  }

  Named<Cell> cell = Cell::kLstm;
  int units = 200;
  int layers = 1;
  Auto<YesNo> bidirectional;
  Auto<AttendedStates> self_attention;
  Named<Combine> combine = Combine::kConcat;
  double forget_gate_bias = 0;

  void Visit(FieldList& v);

  /// Replaces every "auto" and 0. A causal encoder may not see what comes
  /// later.
  void Fill(bool causal);
  /// What that makes, where the choices fit together. Throws: ConfigError.
  ResolvedRnn Resolve(bool causal) const;
};

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_RNN_CONFIG_H_
