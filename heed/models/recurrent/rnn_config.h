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

/// Resolved configuration of an RnnEncoder.
struct ResolvedRnn {
  EncoderOptions recurrent;  // without its inputs
  /// Attention without the sizes of queries and keys; none: states only.
  std::optional<AttentionSpec> attention;
  bool concat = true;  // [h; c], else tanh(W [h; c] + b)
  double dropout = 0;
  bool variational = false;
  kernels::Precision precision = kernels::Precision::kNative;
};

/// User-facing configuration of an RnnEncoder. "auto" and 0 mean the default
/// for its use.
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

  /// Replaces every "auto" and 0. A causal encoder may not see later positions.
  void Fill(bool causal);
  /// Resolved configuration. Throws: ConfigError if the choices do not fit
  /// together.
  ResolvedRnn Resolve(bool causal) const;
};

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_RNN_CONFIG_H_
