// Encoders of the words of sentences, for tagging.
#ifndef HEED_MODELS_SENTENCE_ENCODER_H_
#define HEED_MODELS_SENTENCE_ENCODER_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "heed/base/model_outline.h"
#include "heed/models/sequence_encoder.h"
#include "heed/models/text_encoder.h"
#include "heed/nn/linear.h"
#include "heed/nn/word_features.h"

namespace heed {

/// Words of B sentences as subword pieces of a text encoder, which reads each
/// sentence as one or several texts. Token s of text r has index r S + s.
/// Shapes: all i32; ids [R, S], lengths [R], first [B, T], start [B].
struct PieceIds {
  Tensor ids;
  Tensor lengths;
  Tensor first;  // index of each word's first piece
  Tensor start;  // index of the first special token of the sentence
};

/// B sentences of T words, as words or as pieces. Shapes: lengths i32 [B].
struct SentenceBatch {
  WordIds words;
  PieceIds pieces;
  Tensor lengths;  // in words

  /// Shape [B, T].
  Shape shape() const {
    return (pieces.first.defined() ? pieces.first : words.words).shape();
  }
};

struct SentenceStates {
  Var words;     // [B, T, M]
  Var sentence;  // [B, M], if the encoder pools
};

/// Contextual word encoder. Immutable except for its parameters; thread-safe.
class SentenceEncoder {
 public:
  virtual ~SentenceEncoder() = default;

  /// Encodes sentences; padding has no effect. Throws: ShapeError.
  virtual SentenceStates operator()(const Context& ctx,
                                    const SentenceBatch& batch) const = 0;
  /// Number of features M of a state.
  virtual int64_t output_size() const = 0;
  /// True if there is a vector for the sentence, too.
  virtual bool pools() const = 0;
  /// Blocks of the encoder for diagrams; by default an unnamed box.
  virtual std::vector<OutlineBlock> Outline() const {
    return UnknownOutline("encoder", output_size());
  }
};

/// Word features, read by a sequence encoder. Parameters: features, encoder.
class FeatureEncoder : public SentenceEncoder {
 public:
  using MakeEncoder = std::function<std::unique_ptr<SequenceEncoder>(
      const Scope& scope, int64_t inputs)>;

  /// Throws: ConfigError.
  FeatureEncoder(const Scope& scope, const WordFeaturesConfig& config,
                 const WordSizes& sizes, const MakeEncoder& make_encoder);

  SentenceStates operator()(const Context& ctx,
                            const SentenceBatch& batch) const override;
  int64_t output_size() const override { return encoder_->output_size(); }
  bool pools() const override { return false; }
  std::vector<OutlineBlock> Outline() const override {
    return OnBlock(
        {{{.name = "word features", .features = features_.output_size()}}},
        encoder_->Outline());
  }

 private:
  WordFeatures features_;
  std::unique_ptr<SequenceEncoder> encoder_;
};

/// Subword pieces, read by a text encoder: a word is the state of its first
/// piece. If it pools, the sentence is tanh(W x + b), x being the state of its
/// first special token. Parameters: pooler, those of the text encoder. Paper:
/// Devlin et al. 2018, arXiv:1810.04805, section 5.3.
class PieceEncoder : public SentenceEncoder {
 public:
  PieceEncoder(const Scope& scope, std::unique_ptr<TextEncoder> encoder,
               bool pools);

  SentenceStates operator()(const Context& ctx,
                            const SentenceBatch& batch) const override;
  int64_t output_size() const override { return encoder_->output_size(); }
  bool pools() const override { return pooler_.has_value(); }
  std::vector<OutlineBlock> Outline() const override {
    return encoder_->Outline();
  }

 private:
  std::unique_ptr<TextEncoder> encoder_;
  std::optional<Linear> pooler_;
};

}  // namespace heed

#endif  // HEED_MODELS_SENTENCE_ENCODER_H_
