// Ensemble of models.
#ifndef HEED_MODELS_ENSEMBLE_H_
#define HEED_MODELS_ENSEMBLE_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/models/decoder.h"

namespace heed {

/// Ensemble of models that read and write the same tokens:
///   log p(y) = 1/M Σ_m log p_m(y) − log Z
/// The next-token distribution is the geometric mean of the members'
/// distributions, and scores are the mean of their scores. Attention is the
/// mean over members that have it. Members keep their parameters; the ensemble
/// has none and is not trained.
class Ensemble : public Decoder {
 public:
  /// Throws: ConfigError without members.
  explicit Ensemble(std::vector<std::shared_ptr<const Decoder>> members);

  Encoding Encode(const Context& ctx, const Inputs& inputs) const override;
  DecoderState Start(const Context& ctx,
                     const Encoding& encoding) const override;
  /// Features of the members, concatenated.
  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& state) const override;
  /// Mean of the members' scores. Throws: ShapeError if they score different
  /// numbers of tokens.
  const OutputLayer& output() const override { return *output_; }
  bool reads_source() const override { return members_[0]->reads_source(); }
  /// Minimum of the position limits of the members.
  int64_t positions() const override;

  /// Alignment attention of the first member that has one; observers receive
  /// only that member's attention.
  std::string alignment_attention() const override;
  int64_t alignment_head() const override;
  std::vector<std::string> source_attentions() const override;

 private:
  /// Index of the first member with an alignment attention, else 0.
  size_t Attending() const;
  /// The context for member `m`, observed only if m is Attending().
  Context ContextOf(size_t m, const Context& ctx) const;

  std::vector<std::shared_ptr<const Decoder>> members_;
  std::unique_ptr<OutputLayer> output_;
};

}  // namespace heed

#endif  // HEED_MODELS_ENSEMBLE_H_
