// Transformers that read: of text and of anything else.
#ifndef HEED_MODELS_TRANSFORMER_TRANSFORMER_ENCODER_H_
#define HEED_MODELS_TRANSFORMER_TRANSFORMER_ENCODER_H_

#include <optional>
#include <string>

#include "heed/base/model_outline.h"
#include "heed/models/sequence_encoder.h"
#include "heed/models/text_encoder.h"
#include "heed/models/transformer/transformer_config.h"
#include "heed/nn/positions.h"
#include "heed/nn/transformer.h"

namespace heed {

/// Tokens as vectors: scale · token + position + segment, normalised if the
/// config says so, with dropout. Parameters: positions.weight (learned ones),
/// segments.weight, embedding.norm. An observer knows the scaled tokens as
/// `input`, what is added as input.positions and input.segments, and the result
/// as input.sum.
class TextEmbedding {
 public:
  /// `input`: what an observer knows them as.
  TextEmbedding(const Scope& scope, const ResolvedTransformer& config,
                const Embedding& tokens, std::string input);

  /// Of tokens that stand at `offset` and behind. Shapes: ids i32 [B, T],
  /// segments i32 [B, T] or undefined (all 0), result [B, T, M].
  /// Throws: ShapeError.
  Var operator()(const Context& ctx, const Tensor& ids, int64_t offset = 0,
                 const Tensor& segments = {}) const;
  /// Number of learned positions; 0: any number.
  int64_t positions() const { return positions_.limit(); }
  /// Its lowest block.
  OutlineBlock Outline() const;
  /// The same of vectors in the place of scaled tokens [B, T, M].
  Var OfVectors(const Context& ctx, const Var& x) const;

 private:
  /// x and the vectors of its positions.
  Var AddPositions(const Context& ctx, const Var& x, int64_t offset) const;
  /// What comes behind positions.
  Var Finish(const Context& ctx, Var x, const Tensor& segments) const;

  std::string input_;
  std::string input_positions_, input_segments_, input_sum_;
  PositionKind position_kind_;
  Embedding tokens_;
  Positions positions_;
  std::optional<Embedding> segments_;
  std::optional<LayerNormalization> norm_;
  double scale_;
  double dropout_;
};

/// Reads text. Parameters: embedding.weight (unless it is given), those of
/// TextEmbedding and of TransformerStack.
class TransformerTextEncoder : public TextEncoder {
 public:
  /// Throws: ConfigError.
  TransformerTextEncoder(const Scope& scope, const ResolvedTransformer& config,
                         int64_t vocabulary);
  TransformerTextEncoder(const Scope& scope, const ResolvedTransformer& config,
                         const Embedding& tokens);

  /// Shapes: result [B, S, M]. Throws: ShapeError, also for a text with
  /// pretrained vectors.
  Var operator()(const Context& ctx, const TextInput& text) const override;

  /// The same of vectors in the place of scaled tokens, of which s looks at
  /// those that `mask` allows. Shapes: x [B, S, M].
  Var OfVectors(const Context& ctx, const Var& x, const Tensor& lengths,
                const Mask& mask) const;

  const Embedding& tokens() const { return tokens_; }
  int64_t output_size() const override { return stack_.width(); }
  std::vector<OutlineBlock> Outline() const override;

 private:
  Embedding tokens_;
  TextEmbedding embedding_;
  TransformerStack stack_;
};

/// Reads vectors, in both directions or causally. Parameters: input (if
/// `inputs` is not the width), positions.weight, those of TransformerStack.
class TransformerEncoder : public SequenceEncoder {
 public:
  /// Throws: ConfigError.
  TransformerEncoder(const Scope& scope, const ResolvedTransformer& config,
                     int64_t inputs, bool causal = false);

  Var operator()(const Context& ctx, const Var& x,
                 const Tensor& lengths) const override;
  int64_t output_size() const override { return stack_.width(); }
  std::vector<OutlineBlock> Outline() const override;

 private:
  int64_t inputs_;
  double dropout_;
  std::optional<Linear> input_;
  TransformerStack stack_;
  Positions positions_;
};

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_TRANSFORMER_ENCODER_H_
