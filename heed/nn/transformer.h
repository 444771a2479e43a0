// Transformer layers: self attention, attention to a source, feed-forward.
//
// One class is an encoder, a decoder of a source and a decoder without one.
#ifndef HEED_NN_TRANSFORMER_H_
#define HEED_NN_TRANSFORMER_H_

#include <optional>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/nn/linear.h"
#include "heed/nn/norm.h"
#include "heed/ops/activation.h"

namespace heed {

struct TransformerOptions {
  int64_t layers = 6;
  int64_t width = 512;          // M, a multiple of heads
  int64_t feed_forward = 2048;  // features inside of a feed-forward layer
  int64_t heads = 8;            // H
  int64_t key_heads = 0;        // K, a divisor of H; 0: as heads
  int64_t source = 0;   // features of the source that is attended to; 0: none
  bool causal = false;  // a position sees itself and those before
  /// What an observer knows the positions as.
  std::string input = "source";
  /// The attention to the source whose weights a state gets; -1: the last
  /// layer, the mean of all heads.
  int64_t alignment_layer = -1;
  int64_t alignment_head = -1;

  bool pre_norm = false;    // x + f(LN(x)) instead of LN(x + f(x))
  bool final_norm = false;  // one more behind the last layer
  double epsilon = 1e-5;
  Activation activation = Activation::kRelu;
  bool gated = false;  // f(x A) ⊙ x B instead of f(x A)
  bool attention_bias = true;

  double dropout = 0;             // of what a sublayer adds
  double attention_dropout = 0;   // of weights
  double activation_dropout = 0;  // inside of a feed-forward layer

  Choice<Score> score = ChooseScore("scaled_dot");
  std::vector<Choice<Modifier>> modifiers;       // of all attentions
  std::vector<Choice<Modifier>> self_modifiers;  // of self attention besides
  Mask mask;                                     // of self attention
  Choice<Normalizer> normalizer = ChooseNormalizer("softmax");
  int64_t positions = 0;  // that a score by location knows
  Init init;
  kernels::Precision precision = kernels::Precision::kNative;
};

/// Layers of
///   self attention; attention to the source, if there is one; feed-forward,
/// each x + Dropout(f(x)), normalised before or behind. Parameters, of each
/// "layers.N": self_attention.{qkv,output,norm}, cross_attention.{q,kv,output,
/// norm}, feed_forward.{in,out,norm}; then norm. Queries, keys and values stand
/// side by side in qkv [M, (H + 2K) D], keys and values in kv [source, 2 K D],
/// gate and value in a gated feed_forward.in.
/// Papers: Vaswani et al. 2017, arXiv:1706.03762; Xiong et al. 2020,
/// arXiv:2002.04745 (norm before); Ainslie et al. 2023, arXiv:2305.13245
/// (grouped heads); Shazeer 2020, arXiv:2002.05202 (gates).
class TransformerStack {
 public:
  /// Throws: ConfigError.
  TransformerStack(const Scope& scope, const TransformerOptions& options);

  /// All positions at once; or, with a state that is not whole, the next T of a
  /// causal stack, with the state moved on (not for gradients): then `mask`,
  /// which else is and-ed to that of self attention, is not read. Step by step
  /// the state's weights become the attention of the last position to the
  /// source, of alignment_layer and alignment_head.
  /// Shapes: x [B, T, M], result [B, T, M].
  Var operator()(const Context& ctx, const Var& x, const Mask& mask = {},
                 DecoderState* state = nullptr) const;

  const TransformerOptions& options() const { return options_; }

  /// Puts the source where the layers find it, who make keys and values of it
  /// once. Shapes: source [B, S, source], lengths i32 [B] or undefined (all S).
  static void SetSource(const Var& source, const Tensor& lengths,
                        DecoderState& state);

  int64_t width() const { return options_.width; }
  /// What observers know the layers' attentions to the source as.
  std::vector<std::string> source_attentions() const;
  DType dtype() const;

 private:
  struct Layer {
    Layer(const Scope& scope, const TransformerOptions& o);
    Linear qkv;
    Attention self;
    Linear self_output;
    std::optional<Linear> q;
    std::optional<Linear> kv;
    std::optional<Attention> cross;
    std::optional<Linear> cross_output;
    Linear in;
    Linear out;
  };
  /// The sum that goes through the layers, and what the next sublayer sees.
  struct Stream {
    Var sum;
    Var seen;
  };

  Stream Add(const Context& ctx, const Stream& stream, const Var& y,
             size_t sublayer) const;
  Var SelfAttention(const Context& ctx, const Layer& layer, const Var& qkv,
                    const Mask& mask, DecoderState* state) const;
  Var CrossAttention(const Context& ctx, size_t number, const Var& x,
                     DecoderState& state) const;
  Var FeedForward(const Context& ctx, const Layer& layer, const Var& x) const;

  TransformerOptions options_;
  std::vector<Layer> layers_;
  /// Of all sublayers in their order; then the final one, if there is one.
  std::vector<LayerNormalization> norms_;
};

}  // namespace heed

#endif  // HEED_NN_TRANSFORMER_H_
