// What training, decoding and explanation know of a sequence-to-sequence model.
#ifndef HEED_MODELS_SEQUENCE_MODEL_H_
#define HEED_MODELS_SEQUENCE_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/kernels/product_topk.h"
#include "heed/ops/loss.h"

namespace heed {

/// What a search asks of the steps to come.
struct StepOptions {
  /// Whether DecodingState::weights() is to be filled.
  bool weights = true;
  /// The tokens to score: ascending ids, i32 [O]; undefined: all V.
  Tensor outputs = {};
  /// At most so many steps, which lets caches have their final size at once;
  /// 0: not known.
  int64_t max_steps = 0;
  /// Of the scores only the top k are wanted, and the `first` first; 0:
  /// all.
  int top_k = 0;
  int64_t first = 0;
  /// With `top_k`: whether the log sum exp of all is wanted too.
  bool sums = true;
};

/// Where a model stands while it writes a batch of sentences. Each of the B
/// sources owns n consecutive rows of R = B n: the beginnings of its
/// translation that are continued; one at first. What derives from a source
/// alone is kept once, so that attention to it is n queries of one memory.
class DecodingState {
 public:
  virtual ~DecodingState() = default;

  /// Source j becomes what source sources[j] was (undefined: all stay), sources
  /// may be left out; row i becomes what row rows[i] was, which belonged to the
  /// same source; rows may be repeated or left out, also to another n.
  /// Shapes: rows i32 [B' n'], sources i32 [B'], ascending.
  virtual void Reorder(const Tensor& rows, const Tensor& sources) = 0;

  const StepOptions& options() const { return options_; }
  /// Before the first step.
  virtual void SetOptions(StepOptions options) {
    options_ = std::move(options);
  }

  /// Attention of the last step over the source [R, S]; undefined if the model
  /// has none or the options say that it is not wanted.
  const Tensor& weights() const { return weights_; }

  /// What stands in the place of the last step's scores, if the options ask for
  /// the top k and the model knows a shorter way to them.
  const kernels::TopKScores& top_k() const { return top_k_; }
  /// By the model, in each step.
  void SetTopK(kernels::TopKScores top_k) { top_k_ = std::move(top_k); }

 protected:
  StepOptions options_;
  Tensor weights_;

 private:
  kernels::TopKScores top_k_;
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

  /// CrossEntropy of the Logits, which need not be computed all at once.
  /// Shapes: targets i32 [T, B].
  virtual CrossEntropyLoss Loss(const Context& ctx, const Tensor& source,
                                const Tensor& lengths, const Tensor& target_in,
                                const Tensor& targets,
                                const CrossEntropyOptions& options) const {
    return CrossEntropy(Logits(ctx, source, lengths, target_in), targets,
                        options);
  }

  /// Reads the source, once. Shapes: source i32 [S, B], lengths i32 [B].
  virtual std::unique_ptr<DecodingState> Start(const Context& ctx,
                                               const Tensor& source,
                                               const Tensor& lengths) const = 0;

  /// Advances by one token per row. Shapes: tokens i32 [R]; result: scores of
  /// the next tokens [R, V], or [R, O] if the state's options name outputs (log
  /// softmax of them gives log-probabilities); undefined if the state's
  /// top_k() stands in their place.
  virtual Var Step(const Context& ctx, const Tensor& tokens,
                   DecodingState& state) const = 0;

  /// Path of the attention that says which source tokens a target token comes
  /// from, as an Observer knows it; empty if the model has none.
  virtual std::string alignment_attention() const { return {}; }
  /// Which of its heads does; -1: all of them, in the mean.
  virtual int64_t alignment_head() const { return -1; }
  /// Paths of all attentions of what is written to the source, the first layer
  /// first.
  virtual std::vector<std::string> source_attentions() const {
    if (alignment_attention().empty()) return {};
    return {alignment_attention()};
  }

 protected:
  SequenceModel(uint64_t seed, DType dtype, kernels::Precision precision)
      : parameters_(seed, dtype, precision) {}

  ParameterSet parameters_;
};

}  // namespace heed

#endif  // HEED_MODELS_SEQUENCE_MODEL_H_
