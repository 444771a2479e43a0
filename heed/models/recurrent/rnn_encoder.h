// Recurrent encoders with attention to their own states.
#ifndef HEED_MODELS_RECURRENT_RNN_ENCODER_H_
#define HEED_MODELS_RECURRENT_RNN_ENCODER_H_

#include <optional>

#include "heed/attention/attention.h"
#include "heed/base/model_outline.h"
#include "heed/models/recurrent/rnn_config.h"
#include "heed/models/sequence_encoder.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// States h_1..h_S of a recurrent network (unidirectional or bidirectional;
/// with no layers, the inputs themselves), and for each the context
///   c_t = Σ_s a_ts h_s,  a_t = softmax_s(score(h_t, h_s))
/// over all s (full), s ≤ t (causal) or s < t (strict, where c_1 = 0: a null
/// slot of zeros). The result is [h; c], tanh(W [h; c] + b), or h without
/// attention. Parameters: forward.N, backward.N, attention, combine. Paper:
/// Cheng et al. 2016, arXiv:1601.06733 (attention over own states).
class RnnEncoder : public SequenceEncoder {
 public:
  /// Throws: ConfigError.
  RnnEncoder(const Scope& scope, const ResolvedRnn& config, int64_t inputs);

  /// Throws: ShapeError.
  Var operator()(const Context& ctx, const Var& x,
                 const Tensor& lengths) const override;
  int64_t output_size() const override;
  std::vector<OutlineBlock> Outline() const override;

  /// The next T steps of a causal encoder, whose cache is in `state`; not
  /// differentiable. Shapes: x [R, T, inputs], result [R, T, output_size()].
  Var Step(const Context& ctx, const Var& x, DecoderState& state) const;

 private:
  /// States, continued from and stored in `state` unless it is null.
  Var States(const Context& ctx, const Var& x, const Tensor& lengths,
             DecoderState* state) const;
  Var Combine(const Context& ctx, const Var& states, const Var& context) const;

  ResolvedRnn config_;
  int64_t inputs_;
  int64_t features_;  // features of a state
  std::optional<RecurrentEncoder> recurrent_;
  std::optional<Attention> attention_;
  std::optional<Linear> combine_;
};

}  // namespace heed

#endif  // HEED_MODELS_RECURRENT_RNN_ENCODER_H_
