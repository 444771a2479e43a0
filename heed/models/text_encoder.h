// What reads text for classification, tagging and retrieval.
#ifndef HEED_MODELS_TEXT_ENCODER_H_
#define HEED_MODELS_TEXT_ENCODER_H_

#include <memory>
#include <optional>

#include "heed/models/sequence_encoder.h"
#include "heed/nn/linear.h"

namespace heed {

/// From tokens to vectors that know of each other. Immutable but for its
/// parameters; used from many threads. Layout is batch-first.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  /// What stands behind a row's length changes nothing before it. Shapes: ids
  /// i32 [B, S], lengths i32 [B], segments i32 [B, S] or undefined (all 0);
  /// result [B, S, output_size()]. Throws: ShapeError.
  virtual Var operator()(const Context& ctx, const Tensor& ids,
                         const Tensor& lengths,
                         const Tensor& segments) const = 0;
  virtual int64_t output_size() const = 0;
};

/// Embeddings of tokens, and of segments if there are several, read by an
/// encoder of vectors. Parameters: embedding.weight [V, M], segments.weight,
/// and those of the encoder.
class EmbeddedTextEncoder : public TextEncoder {
 public:
  struct Sizes {
    int64_t vocabulary = 0;
    int64_t features = 0;  // M, which the encoder is made for
    int64_t segments = 1;  // kinds that are told apart
  };
  EmbeddedTextEncoder(const Scope& scope, const Sizes& sizes,
                      std::unique_ptr<SequenceEncoder> encoder);

  Var operator()(const Context& ctx, const Tensor& ids, const Tensor& lengths,
                 const Tensor& segments) const override;
  int64_t output_size() const override { return encoder_->output_size(); }

 private:
  Embedding tokens_;
  std::optional<Embedding> segments_;
  std::unique_ptr<SequenceEncoder> encoder_;
};

/// States of some tokens, token s of text b having place b S + s. Shapes:
/// states [B, S, M], places i32 [...], result [..., M]. Throws: ShapeError.
Var StatesAt(const Var& states, const Tensor& places);

}  // namespace heed

#endif  // HEED_MODELS_TEXT_ENCODER_H_
