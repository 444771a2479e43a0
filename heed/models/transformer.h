// Transformers that write: encoder-decoder and language model.
#ifndef HEED_MODELS_TRANSFORMER_H_
#define HEED_MODELS_TRANSFORMER_H_

#include <memory>
#include <string>
#include <vector>

#include "heed/models/sequence_model.h"
#include "heed/models/transformer_encoder.h"

namespace heed {

/// What writes: embedded tokens through a causal stack to scores. The same
/// stack runs all positions at once and one after the other. Parameters: those
/// of TextEmbedding and TransformerStack, and output.
class TransformerDecoder {
 public:
  /// `tokens` are embeddings that exist already; `source` features are attended
  /// to, 0: there is no source.
  TransformerDecoder(const Scope& scope, const TransformerConfig& config,
                     const Embedding& tokens, int64_t source);

  /// What the scores are made of. Shapes: target_in i32 [T, B], source [B, S,
  /// source], result [T, B, M].
  Var Features(const Context& ctx, const Tensor& target_in, const Var& source,
               const Mask& source_mask) const;
  const OutputProjection& output() const { return output_; }

  std::unique_ptr<DecodingState> Start(const Context& ctx, const Var& source,
                                       const Tensor& source_lengths,
                                       const Tensor& prompt) const;
  Var Step(const Context& ctx, const Tensor& tokens,
           DecodingState& decoding) const;

  /// Paths of the layers' attentions to the source.
  std::vector<std::string> source_attentions() const {
    return stack_.source_attentions();
  }

 private:
  struct State;

  TextEmbedding embedding_;
  TransformerStack stack_;
  OutputProjection output_;
  bool attends_;
};

/// Encoder-decoder. Paper: Vaswani et al. 2017, arXiv:1706.03762.
class Transformer : public SequenceModel {
 public:
  /// `config` is resolved. Throws: ConfigError.
  Transformer(const TransformerConfig& config, int source_vocabulary,
              int target_vocabulary, uint64_t seed, DType dtype = DType::kF32);

  Var Logits(const Context& ctx, const Tensor& source, const Tensor& lengths,
             const Tensor& target_in) const override;
  CrossEntropyLoss Loss(const Context& ctx, const Tensor& source,
                        const Tensor& lengths, const Tensor& target_in,
                        const Tensor& targets,
                        const CrossEntropyOptions& options) const override;
  std::unique_ptr<DecodingState> Start(const Context& ctx, const Tensor& source,
                                       const Tensor& lengths) const override;
  Var Step(const Context& ctx, const Tensor& tokens,
           DecodingState& state) const override;

  std::string alignment_attention() const override;
  int64_t alignment_head() const override { return alignment_head_; }
  std::vector<std::string> source_attentions() const override {
    return decoder_.source_attentions();
  }

 private:
  /// Shapes: source i32 [S, B], result [B, S, M].
  Var Encode(const Context& ctx, const Tensor& source,
             const Tensor& lengths) const;
  /// Shapes: as Logits, result [T, B, M].
  Var Features(const Context& ctx, const Tensor& source, const Tensor& lengths,
               const Tensor& target_in) const;

  Embedding source_tokens_;
  Embedding target_tokens_;
  TransformerTextEncoder encoder_;
  TransformerDecoder decoder_;
  int64_t alignment_layer_;
  int64_t alignment_head_;
};

/// Decoder without a source: continues a prompt.
/// Paper: Radford et al. 2018; Liu et al. 2018, arXiv:1801.10198.
class TransformerLanguageModel : public SequenceModel {
 public:
  /// `config` is resolved. Throws: ConfigError.
  TransformerLanguageModel(const TransformerConfig& config, int vocabulary,
                           uint64_t seed, DType dtype = DType::kF32);

  /// `source` and `lengths` are not read. Shapes: as SequenceModel's.
  Var Logits(const Context& ctx, const Tensor& source, const Tensor& lengths,
             const Tensor& target_in) const override;
  CrossEntropyLoss Loss(const Context& ctx, const Tensor& source,
                        const Tensor& lengths, const Tensor& target_in,
                        const Tensor& targets,
                        const CrossEntropyOptions& options) const override;

  /// `source` is what the text begins with, the same number S >= 0 of tokens
  /// in each column, without <s> and </s>. The first Step reads the tokens it
  /// is given (<s>) and then all of the prompt, and scores what follows.
  /// Shapes: source i32 [S, B], lengths i32 [B], all S, or undefined.
  /// Throws: ShapeError.
  std::unique_ptr<DecodingState> Start(const Context& ctx, const Tensor& source,
                                       const Tensor& lengths) const override;
  Var Step(const Context& ctx, const Tensor& tokens,
           DecodingState& state) const override;

 private:
  TransformerDecoder decoder_;
};

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_H_
