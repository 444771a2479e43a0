// What reads text for classification, tagging and retrieval.
#ifndef HEED_MODELS_TEXT_ENCODER_H_
#define HEED_MODELS_TEXT_ENCODER_H_

#include <memory>
#include <optional>
#include <vector>

#include "heed/base/model_outline.h"
#include "heed/models/sequence_encoder.h"
#include "heed/nn/linear.h"

namespace heed {

/// Some texts, as MarkText writes them. A pair is one sequence whose parts have
/// the segments 0 and 1, so that attention compares their words directly. A
/// document has its sentences one behind the other.
struct TextInput {
  Tensor ids;            // i32 [B, S]
  Tensor lengths;        // i32 [B]
  Tensor segments = {};  // i32 [B, S], or undefined
  /// Of documents: tokens of each sentence, which sum to the length; 0 behind
  /// the last. i32 [B, R], or undefined.
  Tensor sentences = {};
  /// Pretrained (frozen) vectors of the tokens [B, S, D], or undefined.
  Tensor vectors = {};
};

/// What a reader is made for.
struct TextSizes {
  int64_t vocabulary = 0;
  int64_t segments = 1;  // kinds of tokens that are told apart
  int64_t vectors = 0;   // D of TextInput::vectors; 0: none
};

/// From tokens to vectors that know of each other. Immutable but for its
/// parameters; used from many threads. Layout is batch-first.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  /// Sentences are not read; no segments are all 0. What stands behind a row's
  /// length changes nothing before it. Shapes: result [B, S, output_size()].
  /// Throws: ShapeError.
  virtual Var operator()(const Context& ctx, const TextInput& text) const = 0;
  virtual int64_t output_size() const = 0;
  /// As of a SequenceEncoder.
  virtual std::vector<OutlineBlock> Outline() const {
    return UnknownOutline("encoder", output_size());
  }
};

/// Embeddings of tokens, and of segments if there are several, beside which
/// stand the pretrained vectors of words if there are some, read by an encoder
/// of vectors. Parameters: embedding.weight [V, M], segments.weight, and those
/// of the encoder.
class EmbeddedTextEncoder : public TextEncoder {
 public:
  /// `features`: M; the encoder is made for M + sizes.vectors.
  EmbeddedTextEncoder(const Scope& scope, const TextSizes& sizes,
                      int64_t features,
                      std::unique_ptr<SequenceEncoder> encoder);

  Var operator()(const Context& ctx, const TextInput& text) const override;
  int64_t output_size() const override { return encoder_->output_size(); }
  std::vector<OutlineBlock> Outline() const override;

 private:
  Embedding tokens_;
  std::optional<Embedding> segments_;
  int64_t vectors_;
  std::unique_ptr<SequenceEncoder> encoder_;
};

/// Throws: ShapeError unless the text has pretrained vectors of so many
/// features; 0: none.
void CheckVectors(const TextInput& text, int64_t vectors);

/// x with the vectors behind its features; x if there are none. Shapes: x
/// [B, S, M], vectors [B, S, D] or undefined.
Var WithVectors(const Var& x, const Tensor& vectors);

/// States of some tokens, token s of text b having place b S + s. Shapes:
/// states [B, S, M], places i32 [...], result [..., M]. Throws: ShapeError.
Var StatesAt(const Var& states, const Tensor& places);

}  // namespace heed

#endif  // HEED_MODELS_TEXT_ENCODER_H_
