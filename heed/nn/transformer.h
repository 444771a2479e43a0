// Transformer layers: self attention, cross attention, feed-forward.
//
// One class serves as encoder, as decoder with a source and as decoder-only
// model.
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
  int64_t feed_forward = 2048;  // hidden features of a feed-forward layer
  int64_t heads = 8;            // H
  int64_t key_heads = 0;        // K, a divisor of H; 0: equal to heads
  int64_t source = 0;           // features of the attended source; 0: none
  bool causal = false;          // a position attends to itself and earlier ones
  bool recurrent = false;       // an SSRU instead of self attention
  /// Label of the positions for observers.
  std::string input = "source";
  /// Layer and head of the cross-attention weights stored in a state; -1: the
  /// last layer, the mean of all heads.
  int64_t alignment_layer = -1;
  int64_t alignment_head = -1;

  bool pre_norm = false;    // x + f(LN(x)) instead of LN(x + f(x))
  bool final_norm = false;  // a final norm after the last layer
  double epsilon = 1e-5;
  Activation activation = Activation::kRelu;
  bool gated = false;  // f(x A) ⊙ x B instead of f(x A)
  bool attention_bias = true;

  double dropout = 0;             // of sublayer outputs
  double attention_dropout = 0;   // of weights
  double activation_dropout = 0;  // inside a feed-forward layer

  Choice<Score> score = ChooseScore("scaled_dot");
  std::vector<Choice<Modifier>> modifiers;  // of all attentions
  std::vector<Choice<Modifier>>
      self_modifiers;  // additionally of self attention
  Mask mask;           // of self attention
  Choice<Normalizer> normalizer = ChooseNormalizer("softmax");
  int64_t positions = 0;  // maximum source length of the score "location"
  Init init;
  Init output_init;  // of the output matrix of each sublayer
  kernels::Precision precision = kernels::Precision::kNative;
};

/// Layers of
///   self attention; cross attention, if there is a source; feed-forward,
/// each x + Dropout(f(x)), with the norm before or after. Parameters of each
/// "layers.N": self_attention.{qkv,output,norm}, cross_attention.{q,kv,output,
/// norm}, feed_forward.{in,out,norm}; then norm. Queries, keys and values are
/// concatenated in qkv [M, (H + 2K) D], keys and values in kv [source, 2 K D],
/// gate and value in a gated feed_forward.in. Papers: Vaswani et al. 2017,
/// arXiv:1706.03762; Xiong et al. 2020, arXiv:2002.04745 (pre-norm); Ainslie et
/// al. 2023, arXiv:2305.13245 (grouped heads); Shazeer 2020, arXiv:2002.05202
/// (gates).
///
/// A recurrent layer has an SSRU instead of self attention (see SsruCells):
/// f(x) = relu(c), without output projection. Parameters: recurrence.in.weight
/// [M, 2M] (candidates and gates), recurrence.gate.bias [M], recurrence.norm.
/// Paper: Kim et al. 2019, D19-5632.
class TransformerStack {
 public:
  /// Throws: ConfigError.
  TransformerStack(const Scope& scope, const TransformerOptions& options);

  /// Without a state, or with a whole one, computes all positions; `mask` is
  /// combined with the self-attention mask by AND. With another state, computes
  /// the next T positions of a causal stack and advances the state (not
  /// differentiable); `mask` is ignored. The state's weights then receive the
  /// cross attention of the last position, from alignment_layer and
  /// alignment_head. Shapes: x [B, T, M], result [B, T, M].
  Var operator()(const Context& ctx, const Var& x, const Mask& mask = {},
                 DecoderState* state = nullptr) const;

  const TransformerOptions& options() const { return options_; }

  /// Sets the source, from which each layer projects keys and values once.
  /// Shapes: source [B, S, source], lengths i32 [B] or undefined (all S).
  static void SetSource(const Var& source, const Tensor& lengths,
                        DecoderState& state);

  int64_t width() const { return options_.width; }
  /// Paths of the layers' cross attentions for observers.
  std::vector<std::string> source_attentions() const;
  DType dtype() const;

 private:
  /// First sublayer, which reads the layer's own positions: self attention or
  /// a recurrence.
  struct Own {
    Own(const Scope& scope, const TransformerOptions& o);
    std::optional<Linear> qkv;
    std::optional<Attention> self;
    std::optional<Linear> self_output;
    std::optional<Linear> recurrence;
    const Parameter* gate_bias = nullptr;
    std::string cells;  // name of the recurrence's state
  };
  struct Layer {
    Layer(const Scope& scope, const TransformerOptions& o);
    Own own;
    std::optional<Linear> q;
    std::optional<Linear> kv;
    std::optional<Attention> cross;
    std::optional<Linear> cross_output;
    Linear in;
    Linear out;
  };
  /// Residual stream and the input of the next sublayer.
  struct Stream {
    Var sum;
    Var seen;
  };

  Stream Add(const Context& ctx, const Stream& stream, const Var& y,
             size_t sublayer) const;
  Var Recurrence(const Context& ctx, const Own& own, const Var& x,
                 DecoderState* state) const;
  Var SelfAttention(const Context& ctx, const Own& own, const Var& x,
                    const Mask& mask, DecoderState* state) const;
  Var CrossAttention(const Context& ctx, size_t number, const Var& x,
                     DecoderState& state) const;
  Var FeedForward(const Context& ctx, const Layer& layer, const Var& x) const;

  TransformerOptions options_;
  std::vector<Layer> layers_;
  /// Norms of all sublayers in order; then the final norm, if there is one.
  std::vector<LayerNormalization> norms_;
};

}  // namespace heed

#endif  // HEED_NN_TRANSFORMER_H_
