// Several models as one.
#ifndef HEED_MODELS_ENSEMBLE_H_
#define HEED_MODELS_ENSEMBLE_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/models/sequence_model.h"

namespace heed {

/// Models that read and write the same tokens, as one model:
///   log p(y) = 1/M Σ_m log p_m(y) − log Z
/// the geometric mean of what they say of the next token; its scores are the
/// means of theirs. Attention is the mean over those that have some. Its
/// members keep their parameters: it has none of its own, and is not trained.
class Ensemble : public SequenceModel {
 public:
  /// Throws: ConfigError if there is no member.
  explicit Ensemble(std::vector<std::shared_ptr<const SequenceModel>> members);

  /// Throws: ShapeError if the members do not score the same number of tokens.
  Var Logits(const Context& ctx, const Tensor& source, const Tensor& lengths,
             const Tensor& target_in) const override;
  std::unique_ptr<DecodingState> Start(const Context& ctx, const Tensor& source,
                                       const Tensor& lengths) const override;
  Var Step(const Context& ctx, const Tensor& tokens,
           DecodingState& state) const override;
  /// That of the first member that has one; an Observer sees its attention
  /// alone.
  std::string alignment_attention() const override;
  int64_t alignment_head() const override;
  std::vector<std::string> source_attentions() const override;

 private:
  struct State;

  /// The first member that tells where it looks, or just the first.
  size_t Attending() const;

  std::vector<std::shared_ptr<const SequenceModel>> members_;
};

}  // namespace heed

#endif  // HEED_MODELS_ENSEMBLE_H_
