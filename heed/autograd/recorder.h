// Receives the attention weights of a computation.
#ifndef HEED_AUTOGRAD_RECORDER_H_
#define HEED_AUTOGRAD_RECORDER_H_

#include <string>

#include "heed/tensor/tensor.h"

namespace heed {

/// Given to a Context by who wants to look (alignments, explanations).
class Recorder {
 public:
  virtual ~Recorder() = default;
  /// Weights of one attention: `layer` is its path in the model, `head` its
  /// number, `step` the position of the first query. Shapes: weights [B, T, S].
  virtual void OnAttention(const std::string& layer, int head, int64_t step,
                           const Tensor& weights) = 0;
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_RECORDER_H_
