// Decoders that copy tokens of their source: pointer-generators.
#ifndef HEED_MODELS_COPYING_H_
#define HEED_MODELS_COPYING_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/models/decoder.h"
#include "heed/nn/copy_output.h"
#include "heed/text/copied_tokens.h"

namespace heed {

/// Decoder that generates a token or copies one of its source:
///   p_gen = σ(w_h·h*_t + w_s·s_t + w_x·x_t + b),  h*_t = Σ_i a_ti h_i
///   P(w) = p_gen P_vocab(w) + (1 − p_gen) Σ_{i: w_i = w} a_ti
/// where a are the weights of the alignment attention, h the encoded source, s
/// the features of the other decoder, and x the embedding of the token before.
/// Reads and writes temporary ids (see copied_tokens.h), which are <unk> as
/// inputs of the network. Adds copy.{context,state,input}.weight and copy.bias
/// to the parameters of the other decoder. Paper: See et al. 2017,
/// arXiv:1704.04368, equations 8 and 9.
class CopyingDecoder : public Decoder {
 public:
  /// Throws: ConfigError for a decoder without an alignment attention, or whose
  /// attention makes hard choices.
  CopyingDecoder(std::unique_ptr<Decoder> generating, CopyTable table);

  ParameterSet& parameters() override { return generating_->parameters(); }
  using Decoder::parameters;

  /// Reads tokens. Throws: ShapeError for other inputs.
  Encoding Encode(const Context& ctx, const Inputs& inputs) const override;
  DecoderState Start(const Context& ctx,
                     const Encoding& encoding) const override;
  /// Features of CopyOutput.
  Var Features(const Context& ctx, const Tensor& tokens,
               DecoderState& state) const override;
  const CopyOutput& output() const override { return output_; }
  bool copies() const override { return true; }
  /// p_gen of each next token given the gold prefixes. Shapes: target_in i32
  /// [T, B]; result [T, B].
  Var Generates(const Context& ctx, const Inputs& inputs,
                const Tensor& target_in) const;

  bool parallel_tokens() const override {
    return generating_->parallel_tokens();
  }
  int64_t positions() const override { return generating_->positions(); }
  std::string alignment_attention() const override {
    return generating_->alignment_attention();
  }
  int64_t alignment_head() const override {
    return generating_->alignment_head();
  }
  ModelOutline Outline() const override { return generating_->Outline(); }
  std::vector<std::string> source_attentions() const override {
    return generating_->source_attentions();
  }

 private:
  Tensor CopiedIds(const Inputs& inputs) const;
  /// Logit of p_gen for weights a [T, R, S]: [T, R, 1].
  Var Gate(const Context& ctx, const Var& h, const Tensor& read, const Var& a,
           const DecoderState& state) const;

  std::unique_ptr<Decoder> generating_;
  CopyTable table_;
  CopyOutput output_;
  Parameter& context_;
  Parameter& state_;
  Parameter& input_;
  Parameter& bias_;
};

/// Weights of one head, or (`head` −1) the mean of all, with a gradient.
/// Shapes: weights [B, H, T, S], or T of [B, H, 1, S]; result [T, B, S].
/// Throws: ShapeError.
Var StepWeights(std::span<const Var> weights, int64_t head);

}  // namespace heed

#endif  // HEED_MODELS_COPYING_H_
