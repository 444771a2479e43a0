// Several models as one.
#ifndef HEED_MODELS_ENSEMBLE_H_
#define HEED_MODELS_ENSEMBLE_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/models/decoder.h"

namespace heed {

/// Models that read and write the same tokens, as one model:
///   log p(y) = 1/M Σ_m log p_m(y) − log Z
/// the geometric mean of what they say of the next token; its scores are the
/// means of theirs. Attention is the mean over those that have some. Its
/// members keep their parameters: it has none of its own, and is not trained.
class Ensemble : public Decoder {
 public:
  /// Throws: ConfigError if there is no member.
  explicit Ensemble(std::vector<std::shared_ptr<const Decoder>> members);

  Encoding Encode(const Context& ctx, const Inputs& inputs) const override;
  DecoderState Start(const Context& ctx,
                     const Encoding& encoding) const override;
  /// Those of the members side by side.
  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& state) const override;
  /// The mean of the members' scores. Throws: ShapeError if they do not score
  /// the same number of tokens.
  const OutputLayer& output() const override { return *output_; }
  bool reads_source() const override { return members_[0]->reads_source(); }
  /// The smallest position limit of the members.
  int64_t positions() const override;

  /// That of the first member that has one; an Observer sees its attention
  /// alone.
  std::string alignment_attention() const override;
  int64_t alignment_head() const override;
  std::vector<std::string> source_attentions() const override;

 private:
  /// The first member that tells where it looks, or just the first.
  size_t Attending() const;
  /// Observed if that is member `m`.
  Context ContextOf(size_t m, const Context& ctx) const;

  std::vector<std::shared_ptr<const Decoder>> members_;
  std::unique_ptr<OutputLayer> output_;
};

}  // namespace heed

#endif  // HEED_MODELS_ENSEMBLE_H_
