// Receives the attention weights of a computation.
#ifndef HEED_AUTOGRAD_RECORDER_H_
#define HEED_AUTOGRAD_RECORDER_H_

#include <string>

#include "heed/tensor/tensor.h"

namespace heed {

/// What one call of an attention computes from and to. Shapes: query [B, H, T,
/// A], keys [B, H, S, A], values [B, H, S, D] (those that heads share are
/// repeated); scores, after modifiers and mask (−∞: may not look), and weights
/// [B, H, T, S]; context [B, H, T, D]. Query and keys are undefined for a score
/// that has none.
struct AttentionParts {
  Tensor query, keys, values, scores, weights, context;
};

/// Given to a Context by who wants to look (alignments, explanations).
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Whether OnParts is wanted of a layer, which then runs composed.
  virtual bool WantsParts(const std::string& /*layer*/) { return false; }
  virtual void OnParts(const std::string& /*layer*/, int64_t /*step*/,
                       const AttentionParts& /*parts*/) {}
  /// Weights of one attention: `layer` is its path in the model, `head` its
  /// number, `step` the position of the first query. Shapes: weights [B, T, S].
  virtual void OnAttention(const std::string& layer, int head, int64_t step,
                           const Tensor& weights) = 0;
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_RECORDER_H_
