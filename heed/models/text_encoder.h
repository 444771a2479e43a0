// Text encoders for classification, tagging and retrieval.
#ifndef HEED_MODELS_TEXT_ENCODER_H_
#define HEED_MODELS_TEXT_ENCODER_H_

#include <memory>
#include <optional>
#include <vector>

#include "heed/base/model_outline.h"
#include "heed/models/sequence_encoder.h"
#include "heed/nn/linear.h"

namespace heed {

/// Texts as written by MarkText. A pair is one sequence whose parts have
/// segments 0 and 1, so that attention compares their words directly. A
/// document is the concatenation of its sentences.
struct TextInput {
  Tensor ids;            // i32 [B, S]
  Tensor lengths;        // i32 [B]
  Tensor segments = {};  // i32 [B, S], or undefined
  /// For documents: number of tokens of each sentence, which sum to the length,
  /// padded with 0. i32 [B, R], or undefined.
  Tensor sentences = {};
  /// Pretrained (frozen) vectors of the tokens [B, S, D], or undefined.
  Tensor vectors = {};
};

/// Sizes of the inputs of a text encoder.
struct TextSizes {
  int64_t vocabulary = 0;
  int64_t segments = 1;  // number of segments
  int64_t vectors = 0;   // D of TextInput::vectors; 0: none
};

/// Contextual text encoder. Immutable except for its parameters; thread-safe.
/// Batch-first.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  /// Encodes tokens; `sentences` are ignored, undefined segments are 0, and
  /// padding has no effect on earlier positions. Shapes: result [B, S,
  /// output_size()]. Throws: ShapeError.
  virtual Var operator()(const Context& ctx, const TextInput& text) const = 0;
  virtual int64_t output_size() const = 0;
  /// Blocks of the encoder for diagrams; by default one box of unknown
  /// structure.
  virtual std::vector<OutlineBlock> Outline() const {
    return UnknownOutline("encoder", output_size());
  }
};

/// Token embeddings (plus segment embeddings if there are several segments),
/// concatenated with pretrained vectors if there are any, read by a sequence
/// encoder. Parameters: embedding.weight [V, M], segments.weight, and those of
/// the encoder.
class EmbeddedTextEncoder : public TextEncoder {
 public:
  /// `features`: M; the encoder has M + sizes.vectors inputs.
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

/// Throws: ShapeError unless the text has pretrained vectors of `vectors`
/// features; 0: none.
void CheckVectors(const TextInput& text, int64_t vectors);

/// Concatenates x and the vectors; x if these are undefined. Shapes: x [B, S,
/// M], vectors [B, S, D] or undefined.
Var WithVectors(const Var& x, const Tensor& vectors);

/// States of selected tokens; token s of text b has index b S + s. Shapes:
/// states [B, S, M], places i32 [...], result [..., M]. Throws: ShapeError.
Var StatesAt(const Var& states, const Tensor& places);

}  // namespace heed

#endif  // HEED_MODELS_TEXT_ENCODER_H_
