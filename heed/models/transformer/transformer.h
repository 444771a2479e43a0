// Transformer decoders: encoder-decoder and language model.
#ifndef HEED_MODELS_TRANSFORMER_TRANSFORMER_H_
#define HEED_MODELS_TRANSFORMER_TRANSFORMER_H_

#include <string>
#include <vector>

#include "heed/base/model_outline.h"
#include "heed/models/decoder.h"
#include "heed/models/transformer/transformer_encoder.h"

namespace heed {

/// Embedded tokens through a causal stack to scores; computes all positions at
/// once or step by step. A recurrent decoder reads a zero vector instead of the
/// first token (<s>), as Marian's do. Parameters: those of TextEmbedding and
/// TransformerStack, and output.
class TransformerDecoder {
 public:
  /// `tokens`: existing embeddings. `source`: features of the attended source;
  /// 0: none.
  TransformerDecoder(const Scope& scope, const ResolvedTransformer& config,
                     const Embedding& tokens, int64_t source);

  /// See Decoder::Features.
  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& state) const;
  const OutputProjection& output() const { return output_; }
  /// See Decoder::positions.
  int64_t positions() const { return embedding_.positions(); }
  /// Sequence of the decoder for diagrams.
  OutlineSequence Outline() const;

  /// Paths of the layers' cross attentions.
  std::vector<std::string> source_attentions() const {
    return stack_.source_attentions();
  }

 private:
  TextEmbedding embedding_;
  TransformerStack stack_;
  OutputProjection output_;
  int64_t vocabulary_;
};

/// Encoder-decoder. Reads tokens, frames, cells and nodes; vectors have the
/// model width, and nodes have positions only if configured. Paper: Vaswani et
/// al. 2017, arXiv:1706.03762.
class Transformer : public Decoder {
 public:
  /// Throws: ConfigError.
  Transformer(const ResolvedTransformer& config, int source_vocabulary,
              int target_vocabulary, uint64_t seed, DType dtype = DType::kF32);

  Encoding Encode(const Context& ctx, const Inputs& inputs) const override;
  DecoderState Start(const Context& ctx,
                     const Encoding& encoding) const override;
  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& state) const override {
    return decoder_.Features(ctx, tokens, state);
  }
  const OutputLayer& output() const override { return decoder_.output(); }
  const Embedding* target_embedding() const override { return &target_tokens_; }
  int64_t source_features() const override { return encoder_.output_size(); }
  bool parallel_tokens() const override { return true; }
  int64_t positions() const override { return decoder_.positions(); }

  std::string alignment_attention() const override;
  int64_t alignment_head() const override { return alignment_head_; }
  ModelOutline Outline() const override;
  std::vector<std::string> source_attentions() const override {
    return decoder_.source_attentions();
  }

 private:
  Embedding source_tokens_;
  Embedding target_tokens_;
  TransformerTextEncoder encoder_;
  TransformerDecoder decoder_;
  int64_t alignment_layer_;
  int64_t alignment_head_;
};

/// Decoder-only Transformer, which continues a prompt. Paper: Radford et al.
/// 2018; Liu et al. 2018, arXiv:1801.10198.
class TransformerLanguageModel : public LanguageModel {
 public:
  /// Throws: ConfigError.
  TransformerLanguageModel(const ResolvedTransformer& config, int vocabulary,
                           uint64_t seed, DType dtype = DType::kF32);

  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& state) const override {
    return decoder_.Features(ctx, tokens, state);
  }
  const OutputLayer& output() const override { return decoder_.output(); }
  bool parallel_tokens() const override { return true; }
  int64_t positions() const override { return decoder_.positions(); }
  ModelOutline Outline() const override { return {{}, {decoder_.Outline()}}; }

 private:
  TransformerDecoder decoder_;
};

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_TRANSFORMER_H_
