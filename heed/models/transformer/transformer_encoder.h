// Transformer encoders of text and of vectors.
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

/// Token vectors: scale · token + position + segment, optionally normalised,
/// with dropout. Parameters: positions.weight (learned ones), segments.weight,
/// embedding.norm. Observers receive the scaled tokens as `input`, added
/// vectors as input.positions and input.segments, and the sum as input.sum.
class TextEmbedding {
 public:
  /// `input`: label of the tokens for observers.
  TextEmbedding(const Scope& scope, const ResolvedTransformer& config,
                const Embedding& tokens, std::string input);

  /// Embeds tokens at positions `offset` and following. Shapes: ids i32 [B, T],
  /// segments i32 [B, T] or undefined (all 0), result [B, T, M]. Throws:
  /// ShapeError.
  Var operator()(const Context& ctx, const Tensor& ids, int64_t offset = 0,
                 const Tensor& segments = {}) const;
  /// Number of learned positions; 0: unlimited.
  int64_t positions() const { return positions_.limit(); }
  /// Outline block of the embedding.
  OutlineBlock Outline() const;
  /// Embeds vectors [B, T, M], which replace scaled tokens.
  Var OfVectors(const Context& ctx, const Var& x) const;

 private:
  /// x plus its position vectors.
  Var AddPositions(const Context& ctx, const Var& x, int64_t offset) const;
  /// Adds segments; applies norm and dropout.
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

/// Encodes text. Parameters: embedding.weight (unless shared), those of
/// TextEmbedding and of TransformerStack.
class TransformerTextEncoder : public TextEncoder {
 public:
  /// Throws: ConfigError.
  TransformerTextEncoder(const Scope& scope, const ResolvedTransformer& config,
                         int64_t vocabulary);
  TransformerTextEncoder(const Scope& scope, const ResolvedTransformer& config,
                         const Embedding& tokens);

  /// Encodes text. Shapes: result [B, S, M]. Throws: ShapeError, also for a
  /// text with pretrained vectors.
  Var operator()(const Context& ctx, const TextInput& text) const override;

  /// Encodes vectors, which replace scaled tokens; vector s attends to those
  /// that `mask` allows. Shapes: x [B, S, M].
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

/// Encodes vectors, bidirectionally or causally. Parameters: input (if `inputs`
/// is not the width), positions.weight, those of TransformerStack.
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
