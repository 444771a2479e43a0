// What training, decoding and explanation know of a model that writes.
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

/// What a batch of sources is: a value.
struct Inputs {
  enum class Kind : uint8_t {
    kNone,    // nothing is read
    kIds,     // tokens
    kFrames,  // vectors in their order: sound, series
    kCells,   // vectors of a grid, row by row: images
    kNodes,   // vectors in no order, which may know their neighbours: graphs
  };

  Inputs() = default;
  /// Tokens. Shapes: ids i32 [S, B], time-major as batches are, lengths i32
  /// [B]. Undefined ids: nothing is read.
  Inputs(const Tensor& ids, const Tensor& lengths);
  /// Shapes: x [B, S, F], lengths i32 [B].
  static Inputs Frames(const Var& x, const Tensor& lengths);
  /// Shapes: x [B, Y, X, F]. Throws: ShapeError.
  static Inputs Cells(const Var& x);
  /// Node s looks at those that `neighbours` allows. Shapes: x [B, S, F],
  /// lengths i32 [B].
  static Inputs Nodes(const Var& x, const Tensor& lengths,
                      const Mask& neighbours = {});

  int64_t size() const;  // B
  /// Throws ShapeError, naming `reader`, if these are neither tokens nor
  /// vectors of `features` (-1: any), or lengths do not fit.
  void Check(const std::string& reader, int64_t features = -1) const;

  Kind kind = Kind::kNone;
  Tensor ids;
  Var vectors;  // [B, S, F]; cells: S = Y X
  Tensor lengths;
  Mask neighbours;
};

/// What was read, as a decoder wants it: whoever makes it, any decoder of a
/// source of this size attends to the vectors.
struct Encoding {
  int64_t sources = 0;  // B; 0: nothing was read
  Var vectors;          // [B, S, M]
  Tensor lengths;       // i32 [B]; undefined: all S
  /// What recurrent encoders know at their end, for decoders that start from
  /// it: the whole source in one vector [B, ·], and the states of all layers.
  /// Undefined, or none, if somebody else made this.
  Var summary;
  LayerStates states;
  Tensor prompt;  // i32 [B, P]: what a language model continues

  std::vector<Encoding> members;  // of an ensemble
};

/// A model that writes tokens, of a source or without one. Immutable but for
/// its parameters; used from many threads.
class Decoder {
 public:
  virtual ~Decoder() = default;

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  /// Reads the sources. Throws: ShapeError for a kind of input, or a size, that
  /// it does not read.
  virtual Encoding Encode(const Context& ctx, const Inputs& inputs) const = 0;
  /// Before the first token.
  virtual DecoderState Start(const Context& ctx,
                             const Encoding& encoding) const = 0;
  /// What the scores of the tokens behind T tokens of each row are made of, and
  /// the state moved on. With a gradient if the state is whole. Shapes: tokens
  /// i32 [T, R], result [T, R, M].
  virtual Var Features(const Context& ctx, const Tensor& tokens,
                       DecoderState& state) const = 0;
  virtual const OutputLayer& output() const = 0;
  /// Whether Logits and Loss read their inputs: not those of a language model.
  virtual bool reads_source() const { return true; }

  /// Number of learned positions, which limit the source and, with <s> at the
  /// first one, the target; 0: any number.
  virtual int64_t positions() const { return 0; }

  /// Features of one token for each row, behind the prompt if this is the first
  /// step of a language model that has one. Shapes: tokens i32 [R], result
  /// [R, M].
  Var Next(const Context& ctx, const Tensor& tokens, DecoderState& state) const;
  /// Scores of the tokens behind them [R, V].
  Var Step(const Context& ctx, const Tensor& tokens,
           DecoderState& state) const {
    return output().Scores(ctx, Next(ctx, tokens, state));
  }

  /// Scores of all next tokens given the gold prefixes. Shapes: target_in i32
  /// [T, B]; result [T, B, V].
  Var Logits(const Context& ctx, const Inputs& inputs,
             const Tensor& target_in) const;
  /// CrossEntropy of the Logits, which need not be computed all at once.
  /// Shapes: targets i32 [T, B].
  CrossEntropyLoss Loss(const Context& ctx, const Inputs& inputs,
                        const Tensor& target_in, const Tensor& targets,
                        const CrossEntropyOptions& options) const;

  /// Path of the attention that says which source tokens a target token comes
  /// from, as an Observer sees it; empty if the model has none.
  virtual std::string alignment_attention() const { return {}; }
  /// Whether that attention draws one key per step in training, so that it has
  /// to be taught by reward.
  virtual bool hard_choices() const { return false; }
  /// Which of its heads does; -1: all of them, in the mean.
  virtual int64_t alignment_head() const { return -1; }
  /// Of what it is made and what flows where, for pictures; nothing, if it does
  /// not say.
  virtual ModelOutline Outline() const { return {}; }
  /// Paths of all attentions of what is written to the source, the first layer
  /// first.
  virtual std::vector<std::string> source_attentions() const {
    if (alignment_attention().empty()) return {};
    return {alignment_attention()};
  }

 protected:
  Decoder(uint64_t seed, DType dtype, kernels::Precision precision)
      : parameters_(seed, dtype, precision) {}

  ParameterSet parameters_;

 private:
  Var WholeFeatures(const Context& ctx, const Inputs& inputs,
                    const Tensor& target_in) const;
};

/// A decoder without a source, which continues a prompt.
class LanguageModel : public Decoder {
 public:
  /// `inputs` are nothing, or what the text begins with: tokens of one length
  /// S >= 0, without <s> and </s>. The first step reads the tokens it is given
  /// (<s>) and then all of the prompt, and scores what follows.
  /// Throws: ShapeError for prompts of different lengths.
  Encoding Encode(const Context& ctx, const Inputs& inputs) const override;
  DecoderState Start(const Context& ctx,
                     const Encoding& encoding) const override;
  bool reads_source() const override { return false; }

 protected:
  using Decoder::Decoder;
};

/// Ids [T, R] as [R, T], and features [R, T, M] as [T, R, M]; without a copy
/// where T or R is 1.
Tensor BatchFirst(const Tensor& ids);
Var TimeFirst(const Var& x);

}  // namespace heed

#endif  // HEED_MODELS_DECODER_H_
