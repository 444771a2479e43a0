// What reads a whole text as one vector, for classification.
#ifndef HEED_MODELS_TEXT_READER_H_
#define HEED_MODELS_TEXT_READER_H_

#include <memory>
#include <vector>

#include "heed/base/model_outline.h"
#include "heed/models/text_encoder.h"
#include "heed/nn/pooling.h"

namespace heed {

/// From texts to a vector each. Immutable but for its parameters; used from
/// many threads.
class TextReader {
 public:
  virtual ~TextReader() = default;

  /// What stands behind a row's length changes nothing. Shapes: result [B,
  /// output_size()]. Throws: ShapeError.
  virtual Var operator()(const Context& ctx, const TextInput& text) const = 0;
  virtual int64_t output_size() const = 0;
  /// The sequences that it reads, the last of which becomes the vector; one
  /// without a name is that of the whole model.
  virtual std::vector<OutlineSequence> Outline() const {
    return {
        {.axis = "source", .blocks = UnknownOutline("reader", output_size())}};
  }
};

/// The states of an encoder, pooled. Parameters: those of the encoder, which is
/// made before, and those of pooling under `scope`.
class PooledReader : public TextReader {
 public:
  /// `pooling`: without features. Throws: ConfigError for a pooling that does
  /// not fit.
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
