// Training of hard attention by reward (REINFORCE).
#ifndef HEED_TASKS_HARD_CHOICES_H_
#define HEED_TASKS_HARD_CHOICES_H_

#include <span>
#include <vector>

#include "heed/base/config.h"
#include "heed/models/decoder.h"
#include "heed/ops/reinforce.h"
#include "heed/train/trainable.h"

namespace heed {

struct HardChoiceConfig {
  double reward = 1;       ///< λ_r
  double entropy = 0.002;  ///< λ_e
  double soft = 0.5;       ///< share of batches with soft attention
  double baseline_decay = 0.9;

  void Visit(FieldList& v);
  /// Deactivates these options unless the model's attention makes hard choices.
  /// Called after the model's fields.
  static void ActWithHardChoices(FieldList& v);
};

/// Examples for a decoder: inputs, gold prefixes and next tokens.
struct DecoderExamples {
  Inputs inputs;
  Tensor target_in;  // i32 [T, B]
  Tensor targets;    // i32 [T, B], ignore_id where a row has ended
  int32_t ignore_id = -1;
};

/// Training objective for a decoder whose attention samples one key per step.
/// Loss of a batch:
///   Σ −log p(y) − λ_r Σ_t (R_t − b n_t) log p(s_t) − λ_e Σ_t H(s_t)
/// where s_t are the choices, R_t the sum of log p(y) over the n_t tokens from
/// step t on, a constant, and b the moving average of a token's log p(y), which
/// State returns. Earlier tokens do not depend on a choice, so leaving them out
/// of its reward lowers the variance of the gradient and keeps its mean. A
/// share of batches trains with the expectation, since the reward gives no
/// gradient to keys that are never sampled.
/// Paper: Xu et al. 2015, arXiv:1502.03044, equations 11 to 13 and section 4.1.
class HardChoices {
 public:
  explicit HardChoices(const HardChoiceConfig& config)
      : config_(config), baseline_(config.baseline_decay) {}

  BatchLoss Loss(const Decoder& model, const Context& ctx,
                 const DecoderExamples& examples,
                 const LossOptions& options) const;
  /// Implementation of the functions of the same names in Trainable.
  void Updated(const Metrics& parts);
  std::vector<NamedTensor> State() const;
  void Restore(const std::vector<NamedTensor>& state);

  double baseline() const { return baseline_.value(); }

 private:
  HardChoiceConfig config_;
  MovingBaseline baseline_;
};

}  // namespace heed

#endif  // HEED_TASKS_HARD_CHOICES_H_
