// Text readers: encode a whole text as one vector, for classification.
#ifndef HEED_MODELS_TEXT_READER_H_
#define HEED_MODELS_TEXT_READER_H_

#include <memory>
#include <vector>

#include "heed/base/model_outline.h"
#include "heed/models/text_encoder.h"
#include "heed/nn/pooling.h"

namespace heed {

/// Maps each text to a vector. Immutable except for its parameters;
/// thread-safe.
class TextReader {
 public:
  virtual ~TextReader() = default;

  /// Encodes texts; padding has no effect. Shapes: result [B, output_size()].
  /// Throws: ShapeError.
  virtual Var operator()(const Context& ctx, const TextInput& text) const = 0;
  virtual int64_t output_size() const = 0;
  /// Sequences of the reader; the last one gives the vector. A sequence without
  /// a name is named after the model.
  virtual std::vector<OutlineSequence> Outline() const {
    return {
        {.axis = "source", .blocks = UnknownOutline("reader", output_size())}};
  }
};

/// Pooled states of an encoder. Parameters: those of the encoder, which is
/// constructed by the caller, and those of pooling under `scope`.
class PooledReader : public TextReader {
 public:
  /// `pooling.features` is ignored. Throws: ConfigError for an invalid pooling.
  PooledReader(const Scope& scope, PoolingOptions pooling,
               std::unique_ptr<TextEncoder> encoder);

  Var operator()(const Context& ctx, const TextInput& text) const override;
  int64_t output_size() const override { return encoder_->output_size(); }
  std::vector<OutlineSequence> Outline() const override;

 private:
  std::unique_ptr<TextEncoder> encoder_;
  Pooling pooling_;
};

}  // namespace heed

#endif  // HEED_MODELS_TEXT_READER_H_
