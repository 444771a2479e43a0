// What training, decoding and explanation know of a sequence-to-sequence model.
#ifndef HEED_MODELS_SEQUENCE_MODEL_H_
#define HEED_MODELS_SEQUENCE_MODEL_H_

#include <memory>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"

namespace heed {

/// Where a model stands while it writes a batch of sentences, row by row.
class DecodingState {
 public:
  virtual ~DecodingState() = default;

  /// Row i becomes what row rows[i] was; rows may be repeated or left out, also
  /// to another number of them. `same_sources` promises that row i and row
  /// rows[i] read the same source sentence, so that what was derived from the
  /// source alone stays. Shapes: rows i32 [B'].
  virtual void Reorder(const Tensor& rows, bool same_sources) = 0;

  /// Attention of the last step over the source [B, S]; undefined if the model
  /// has none.
  const Tensor& weights() const { return weights_; }

 protected:
  Tensor weights_;
};

/// A model that reads a source and writes a target. Immutable but for its
/// parameters; used from many threads. Layout is time-major.
class SequenceModel {
 public:
  virtual ~SequenceModel() = default;

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  /// Scores of all next tokens given the gold prefixes. Shapes: source i32
  /// [S, B], lengths i32 [B], target_in i32 [T, B]; result [T, B, V].
  virtual Var Logits(const Context& ctx, const Tensor& source,
                     const Tensor& lengths, const Tensor& target_in) const = 0;

  /// Reads the source, once. Shapes: source i32 [S, B], lengths i32 [B].
  virtual std::unique_ptr<DecodingState> Start(const Context& ctx,
                                               const Tensor& source,
                                               const Tensor& lengths) const = 0;

  /// Advances by one token per row. Shapes: tokens i32 [B]; result: scores of
  /// the next tokens [B, V] (log softmax of them gives log-probabilities).
  virtual Var Step(const Context& ctx, const Tensor& tokens,
                   DecodingState& state) const = 0;

 protected:
  SequenceModel(uint64_t seed, DType dtype, kernels::Precision precision)
      : parameters_(seed, dtype, precision) {}

  ParameterSet parameters_;
};

}  // namespace heed

#endif  // HEED_MODELS_SEQUENCE_MODEL_H_
