// Sequence encoders for tagging, classification, forecasting and retrieval.
#ifndef HEED_MODELS_SEQUENCE_ENCODER_H_
#define HEED_MODELS_SEQUENCE_ENCODER_H_

#include <cstdint>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/base/model_outline.h"

namespace heed {

/// Contextual encoder of vectors: a recurrent network, with or without
/// attention over its own states, or a Transformer. Immutable except for its
/// parameters; thread-safe. Batch-first.
class SequenceEncoder {
 public:
  virtual ~SequenceEncoder() = default;

  /// Encodes vectors; padding has no effect on earlier positions. Shapes: x [B,
  /// S, inputs], lengths i32 [B]; result [B, S, output_size()].
  virtual Var operator()(const Context& ctx, const Var& x,
                         const Tensor& lengths) const = 0;
  virtual int64_t output_size() const = 0;
  /// Blocks of the encoder for diagrams; by default one box of unknown
  /// structure.
  virtual std::vector<OutlineBlock> Outline() const {
    return UnknownOutline("encoder", output_size());
  }
};

}  // namespace heed

#endif  // HEED_MODELS_SEQUENCE_ENCODER_H_
