// Output layer of decoders that also copy tokens of their source.
#ifndef HEED_NN_COPY_OUTPUT_H_
#define HEED_NN_COPY_OUTPUT_H_

#include <memory>

#include "heed/nn/output_layer.h"

namespace heed {

/// Log-probabilities of V generated tokens and S temporary ones (see
/// CopyScores). A row of its features is [h; g; a; ids]: M features of the
/// generated tokens, the gate's logit, and weights and target ids of the S
/// source positions.
class CopyOutput : public OutputLayer {
 public:
  /// `generated`: output layer of the V tokens, which must outlive this one.
  explicit CopyOutput(const OutputLayer& generated) : generated_(generated) {}

  /// Joins the features. Shapes: h [..., M], gate [..., 1], weights [..., S],
  /// ids i32 [..., S], which are exact below 2²⁴; result [..., M + 1 + 2 S].
  static Var Join(const Var& h, const Var& gate, const Var& weights,
                  const Tensor& ids);

  /// M. The number of all features depends on the source.
  int64_t features() const override { return generated_.features(); }
  /// Logits of the gate [..., 1], whose sigmoid is the probability to generate
  /// a token.
  Var Gate(const Var& x) const;
  Var Scores(const Context& ctx, const Var& x) const override;
  /// Label smoothing is spread over the V generated tokens.
  CrossEntropyLoss Loss(const Context& ctx, const Var& x, const Tensor& targets,
                        const CrossEntropyOptions& options) const override;
  /// Throws: ConfigError.
  std::unique_ptr<OutputLayer> Restricted(const Tensor& ids) const override;

 private:
  const OutputLayer& generated_;
};

}  // namespace heed

#endif  // HEED_NN_COPY_OUTPUT_H_
