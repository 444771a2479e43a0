// Prediction of the current word after each typed character.
#ifndef HEED_MODELS_AUTOCOMPLETE_H_
#define HEED_MODELS_AUTOCOMPLETE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "heed/base/model_outline.h"
#include "heed/models/roles.h"
#include "heed/nn/linear.h"
#include "heed/nn/output_layer.h"

namespace heed {

struct AutocompleteSizes {
  int64_t characters = 0;
  int64_t words = 0;      // V
  int64_t embedding = 0;  // features of a character
};

/// p(word | characters c_1..c_t) = softmax(W h_t + b), where h_1..h_S are the
/// states of a causal encoder (a recurrent network or a Transformer) over
/// embedded characters. Immutable except for its parameters: embedding, those
/// of the encoder, words. Paper: Madsen 2019, "Visualizing memorization in
/// RNNs", Distill.
class Autocomplete {
 public:
  /// `encoder` is filled as causal; its dropout also applies to states and
  /// embeddings. Throws: ConfigError.
  Autocomplete(const EncoderSettings& encoder, const AutocompleteSizes& sizes,
               uint64_t seed, DType dtype = DType::kF32);

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  /// Sets b to log p of these word counts (plus one each). Otherwise training
  /// starts by driving all states towards word frequencies, which saturates
  /// gates, and two layers may not recover. Call before training. Range: one
  /// count for each word.
  void StartFrom(std::span<const int64_t> counts);

  /// States h_t. Shapes: ids i32 [B, S], lengths i32 [B], result [B, S, H].
  /// Throws: ShapeError.
  Var States(const Context& ctx, const Tensor& ids,
             const Tensor& lengths) const;
  int64_t state_size() const { return encoder_->output_size(); }
  ModelOutline Outline() const;

  /// Logits W h + b of the words. Shapes: states [..., H], result [..., V].
  Var Scores(const Context& ctx, const Var& states) const;

  /// Cross-entropy at each character that has a target. Shapes: targets i32 [B,
  /// S], −1: none.
  CrossEntropyLoss Loss(const Context& ctx, const Tensor& ids,
                        const Tensor& lengths, const Tensor& targets,
                        const CrossEntropyOptions& options) const;

  /// Differentiated output and the gradient propagated back through it.
  struct Output {
    Var y;
    Tensor dy;
  };
  /// ‖∂ Σ_n dy_bn y_bn / ∂ x_s‖₂ for each embedded character s of one text,
  /// where y [B, ...] is the result of `output` for the states h at `places`,
  /// one row each. Parameters are constants: several threads may explain one
  /// model. Shapes: ids i32 [S], result f64 [B, S]. Range: 0 ≤ place < S.
  Tensor InputGradients(
      const Tensor& ids, std::span<const int64_t> places,
      const std::function<Output(const Context& ctx, const Var& states)>&
          output) const;

 private:
  ParameterSet parameters_;
  Embedding embedding_;
  std::unique_ptr<SequenceEncoder> encoder_;
  OutputProjection words_;
  int64_t word_count_;
};

}  // namespace heed

#endif  // HEED_MODELS_AUTOCOMPLETE_H_
