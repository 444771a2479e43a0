// Interface of sequence-generating models for training, decoding and
// explanation.
//
//   const Encoding encoding = model.Encode(ctx, {ids, lengths});
//   DecoderState state = model.Start(ctx, encoding);
//   const Var features = model.Next(ctx, tokens, state);
//   const Var scores = model.output().Scores(ctx, features);
#ifndef HEED_MODELS_DECODER_H_
#define HEED_MODELS_DECODER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/decoder_state.h"
#include "heed/attention/mask.h"
#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/model_outline.h"
#include "heed/nn/output_layer.h"
#include "heed/nn/recurrent.h"
#include "heed/ops/loss.h"

namespace heed {

/// Batch of sources: a value.
struct Inputs {
  enum class Kind : uint8_t {
    kNone,    // no source
    kIds,     // tokens
    kFrames,  // sequences of vectors: sound, series
    kCells,   // vectors of a grid, row by row: images
    kNodes,   // unordered vectors, optionally with neighbours: graphs
  };

  Inputs() = default;
  /// Tokens. Shapes: ids i32 [S, B], time-major like batches, lengths i32 [B].
  /// Undefined ids: no source.
  Inputs(const Tensor& ids, const Tensor& lengths);
  /// Sequences of vectors. Shapes: x [B, S, F], lengths i32 [B].
  static Inputs Frames(const Var& x, const Tensor& lengths);
  /// Cells of a grid. Shapes: x [B, Y, X, F]. Throws: ShapeError.
  static Inputs Cells(const Var& x);
  /// Nodes of a graph; node s attends to the nodes allowed by `neighbours`.
  /// Shapes: x [B, S, F], lengths i32 [B].
  static Inputs Nodes(const Var& x, const Tensor& lengths,
                      const Mask& neighbours = {});

  int64_t size() const;  // B
  /// Throws ShapeError, naming `reader`, unless these are tokens or vectors of
  /// `features` (-1: any) with valid lengths.
  void Check(const std::string& reader, int64_t features = -1) const;

  Kind kind = Kind::kNone;
  Tensor ids;
  Var vectors;  // [B, S, F]; cells: S = Y X
  Tensor lengths;
  Mask neighbours;
};

/// Encoded source. A decoder of this source size can attend to the vectors of
/// any encoder.
struct Encoding {
  int64_t sources = 0;  // B; 0: no source
  Var vectors;          // [B, S, M]
  Tensor lengths;       // i32 [B]; undefined: all S
  /// Final state of a recurrent encoder, for decoders that start from it: a
  /// summary vector [B, ·], and the states of all layers. Undefined and empty
  /// for other encoders.
  Var summary;
  LayerStates states;
  Tensor prompt;  // i32 [B, P]: prompt of a language model
  /// Target ids of the source tokens, i32 [B, S], of a CopyingDecoder.
  Tensor copied_ids;

  std::vector<Encoding> members;  // of an ensemble
};

/// Model that generates tokens, with or without a source. Immutable except for
/// its parameters; thread-safe.
class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const {
    return const_cast<Decoder&>(*this).parameters();
  }

  /// Encodes the sources. Throws: ShapeError for an unsupported kind or size of
  /// input.
  virtual Encoding Encode(const Context& ctx, const Inputs& inputs) const = 0;
  /// State before the first token.
  virtual DecoderState Start(const Context& ctx,
                             const Encoding& encoding) const = 0;
  /// Features of the tokens that follow T tokens of each row; advances the
  /// state. Differentiable if the state is whole. Shapes: tokens i32 [T, R],
  /// result [T, R, M].
  virtual Var Features(const Context& ctx, const Tensor& tokens,
                       DecoderState& state) const = 0;
  virtual const OutputLayer& output() const = 0;
  /// True if training computes all tokens at once, as a Transformer does;
  /// false if it computes one after another.
  virtual bool parallel_tokens() const { return false; }
  /// True if Logits and Loss use their inputs; false for language models.
  virtual bool reads_source() const { return true; }

  /// True if the model copies tokens of the source (see CopyingDecoder). Tokens
  /// then include temporary ids, and scores have V + S columns.
  virtual bool copies() const { return false; }
  /// Embedding of the tokens that are read, and number of features of the
  /// encoded source, for a CopyingDecoder; null and 0 if it cannot use them.
  virtual const Embedding* target_embedding() const { return nullptr; }
  virtual int64_t source_features() const { return 0; }

  /// Number of learned positions, which limit the source and the target
  /// including <s>; 0: unlimited.
  virtual int64_t positions() const { return 0; }

  /// Features after one token of each row. The first step of a language model
  /// also reads the prompt. Shapes: tokens i32 [R], result [R, M].
  Var Next(const Context& ctx, const Tensor& tokens, DecoderState& state) const;
  /// Scores of the tokens that follow [R, V].
  Var Step(const Context& ctx, const Tensor& tokens,
           DecoderState& state) const {
    return output().Scores(ctx, Next(ctx, tokens, state));
  }

  /// Scores of all next tokens given the gold prefixes. Shapes: target_in i32
  /// [T, B]; result [T, B, V].
  Var Logits(const Context& ctx, const Inputs& inputs,
             const Tensor& target_in) const;
  /// Cross-entropy of the Logits, which may be computed in blocks. Shapes:
  /// targets i32 [T, B].
  CrossEntropyLoss Loss(const Context& ctx, const Inputs& inputs,
                        const Tensor& target_in, const Tensor& targets,
                        const CrossEntropyOptions& options) const;

  /// Path of the attention that aligns target tokens with source tokens, for
  /// observers; empty if the model has none.
  virtual std::string alignment_attention() const { return {}; }
  /// True if that attention samples one key per step in training, so that it
  /// must be trained by REINFORCE.
  virtual bool hard_choices() const { return false; }
  /// Head that aligns; -1: the mean of all heads.
  virtual int64_t alignment_head() const { return -1; }
  /// Structure of the model for diagrams; empty if not provided.
  virtual ModelOutline Outline() const { return {}; }
  /// Paths of all attentions from target to source, in layer order.
  virtual std::vector<std::string> source_attentions() const {
    if (alignment_attention().empty()) return {};
    return {alignment_attention()};
  }

 protected:
  Decoder(uint64_t seed, DType dtype, kernels::Precision precision)
      : parameters_(seed, dtype, precision) {}

  /// Features of all next tokens given the gold prefixes. Shapes: target_in i32
  /// [T, B]; result [T, B, M].
  Var WholeFeatures(const Context& ctx, const Inputs& inputs,
                    const Tensor& target_in) const;

  ParameterSet parameters_;
};

/// Decoder without a source, which continues a prompt.
class LanguageModel : public Decoder {
 public:
  /// `inputs`: none, or prompts: tokens of one length S >= 0, without <s> and
  /// </s>. The first step reads its tokens (<s>) and then the whole prompt.
  /// Throws: ShapeError for prompts of different lengths.
  Encoding Encode(const Context& ctx, const Inputs& inputs) const override;
  DecoderState Start(const Context& ctx,
                     const Encoding& encoding) const override;
  bool reads_source() const override { return false; }

 protected:
  using Decoder::Decoder;
};

/// Transposes ids [T, R] to [R, T], or features [R, T, M] to [T, R, M]; without
/// a copy if T or R is 1.
Tensor BatchFirst(const Tensor& ids);
Var TimeFirst(const Var& x);

}  // namespace heed

#endif  // HEED_MODELS_DECODER_H_
