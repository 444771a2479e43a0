// What tagging, classification, forecasting and retrieval stand on.
#ifndef HEED_MODELS_SEQUENCE_ENCODER_H_
#define HEED_MODELS_SEQUENCE_ENCODER_H_

#include <cstdint>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/base/model_outline.h"

namespace heed {

/// From vectors to vectors that know of each other: a recurrent network, with
/// or without attention over its own states, or a Transformer. Immutable but
/// for its parameters; used from many threads. Layout is batch-first.
class SequenceEncoder {
 public:
  virtual ~SequenceEncoder() = default;

  /// What stands behind a row's length changes nothing before it. Shapes: x
  /// [B, S, inputs], lengths i32 [B]; result [B, S, output_size()].
  virtual Var operator()(const Context& ctx, const Var& x,
                         const Tensor& lengths) const = 0;
  virtual int64_t output_size() const = 0;
  /// Of what it is made, for pictures; as it is, a box of its own.
  virtual std::vector<OutlineBlock> Outline() const {
    return UnknownOutline("encoder", output_size());
  }
};

}  // namespace heed

#endif  // HEED_MODELS_SEQUENCE_ENCODER_H_
