// BERT: a text encoder pretrained on masked words and sentence pairs.
#ifndef HEED_MODELS_TRANSFORMER_BERT_H_
#define HEED_MODELS_TRANSFORMER_BERT_H_

#include <optional>

#include "heed/base/model_outline.h"
#include "heed/models/transformer/transformer_encoder.h"
#include "heed/nn/linear.h"
#include "heed/nn/norm.h"
#include "heed/nn/output_layer.h"
#include "heed/ops/loss.h"

namespace heed {

/// Batch of texts with one or two segments. Shapes: ids i32 [B, S], lengths i32
/// [B], segments i32 [B, S] or undefined (all 0).
struct BertText {
  Tensor ids;
  Tensor lengths;
  Tensor segments;
};

/// Pretraining targets. Shapes: rows i32 [N], where row b·S + s is the state of
/// token s of text b; labels i32 [N]; next i32 [B], 1 if the second segment
/// does not follow the first.
struct BertTargets {
  Tensor rows;
  Tensor labels;
  Tensor next;
};

struct BertLossOptions {
  double scale = 1;
  double smoothing = 0;  // label smoothing of words, in [0, 1)
};

struct BertLoss {
  Var loss;  // scale · (mean over words + mean over texts), smoothed
  CrossEntropyLoss words;
  CrossEntropyLoss next;  // without next sentences: 0 texts
};

/// Text encoder with pretraining heads. Other tasks continue with the
/// parameters encoder.* (see TransformerTextEncoder) and pooler.{weight, bias};
/// the heads are words.dense.{weight, bias}, words.norm.{gain, bias},
/// words.bias and next.{weight, bias}. Immutable except for its parameters.
/// Papers: Devlin et al. 2018, arXiv:1810.04805; Liu et al. 2019,
/// arXiv:1907.11692 (without next sentences).
class Bert {
 public:
  /// Without `next_sentence` there are neither pooler nor next. Throws:
  /// ConfigError.
  Bert(const ResolvedTransformer& config, int64_t vocabulary, uint64_t seed,
       DType dtype = DType::kF32, bool next_sentence = true);

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }
  /// True if the model compares the two texts of a pair.
  bool has_next_sentence() const { return next_.has_value(); }

  /// Shapes: result [B, S, M]. Throws: ShapeError.
  Var States(const Context& ctx, const BertText& text) const;
  /// tanh(x_0 W + b), x_0 the state of [CLS]. The model must have next
  /// sentences. Shapes: states [B, S, M], result [B, M].
  Var Pool(const Context& ctx, const Var& states) const;

  /// Scores of all words at selected positions: LN(f(x W + b)) Eᵀ + b', with
  /// the encoder's activation f and embedding E. Shapes: states [B, S, M], rows
  /// i32 [N], result [N, V]. Throws: ShapeError.
  Var TokenLogits(const Context& ctx, const Var& states,
                  const Tensor& rows) const;
  /// Scores that the second segment follows the first, and that it does not.
  /// The model must have next sentences. Shapes: states [B, S, M], result [B,
  /// 2].
  Var NextScores(const Context& ctx, const Var& states) const;

  ModelOutline Outline() const;

  /// Throws: ShapeError.
  BertLoss Loss(const Context& ctx, const BertText& text,
                const BertTargets& targets,
                const BertLossOptions& options) const;

 private:
  /// Input features of TokenLogits: [N, M].
  Var Features(const Context& ctx, const Var& states, const Tensor& rows) const;

  ParameterSet parameters_;
  TransformerTextEncoder encoder_;
  std::optional<Linear> pooler_;
  Activation activation_;
  Linear dense_;
  LayerNormalization norm_;
  heed::OutputProjection scores_;
  std::optional<Linear> next_;
};

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_BERT_H_
