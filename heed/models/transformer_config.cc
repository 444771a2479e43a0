#include "heed/models/transformer_config.h"

#include <fmt/format.h>

#include <cmath>

#include "heed/base/errors.h"
#include "heed/models/registry.h"
#include "heed/models/self_score.h"
#include "heed/models/settings.h"
#include "heed/nn/positions.h"

namespace heed {
namespace {

Range Rate() {
  Range range = UpToBelow(0, 1);
  range.min = -1;
  return range;
}

Activation ParseActivation(const std::string& name) {
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_tanh") return Activation::kGeluTanh;
  return name == "relu" ? Activation::kRelu : Activation::kSwish;
}

void CheckParts(const TransformerConfig& c) {
  CheckSelfScore(c.score);
  OfSetting("modifiers", [&] { return ChooseModifiers(c.modifiers); });
  OfSetting("attention_mask", [&] { return ParseMask(c.attention_mask, {}); });
  const NormalizerInfo normalizer = OfSetting(
      "normalizer", [&] { return ChooseNormalizer(c.normalizer).info; });
  Require(normalizer.name != "hard",
          "normalizer 'hard' learns by REINFORCE, which needs a reward of the "
          "program that trains (see docs/attention/hard.md); choose 'gumbel'");
}

}  // namespace

void TransformerConfig::Visit(FieldList& v) { VisitParts(v, true); }

void TransformerConfig::VisitEncoder(FieldList& v) { VisitParts(v, false); }

void TransformerConfig::VisitParts(FieldList& v, bool decoder) {
  v.Section("Model");
  v("layers", layers, Range(0, 256), "layers of the encoder; 0: the model's")
      .Alias("num_layers");
  if (decoder) {
    v("decoder_layers", decoder_layers, Range(0, 256),
      "layers of the decoder; 0: as layers");
  }
  v("width", width, Range(0, 65536),
    "features of a token, the width of the model; 0: the model's")
      .Alias("hidden")
      .Alias("hidden_size")
      .Alias("d_model");
  v("ff", ff, Range(0, 262144),
    "width of the feed-forward layers; 0: the model's")
      .Alias("ffn")
      .Alias("d_ff");
  v("norm", norm, AutoOr({"pre", "post"}),
    "layer normalisation before (pre) or after (post) each sublayer; auto: pre "
    "for tiny models, which then need no warm-up; as published for others");
  v("final_norm", final_norm, AutoOr({"yes", "no"}),
    "normalise the output of the last layer; auto: if norm is pre");
  v("activation", activation,
    AutoOr({"relu", "gelu", "gelu_tanh", "swish", "swiglu"}),
    "activation of the feed-forward layers; swiglu has a third matrix");
  v("norm_epsilon", epsilon, Range(0, 1),
    "added to the variance of a norm; 0: the model's");

  v.Section("Embeddings");
  v("position", position,
    AutoOr({"sinusoidal", "sinusoidal_concat", "sinusoidal_t2t", "learned",
            "rotary", "alibi", "relative", "none"}),
    "position encoding");
  v("max_positions", max_positions, Range(0, 1 << 20),
    "length of the table of learned positions; 0: the model's");
  if (decoder) {
    v("tie", tie, AutoOr({"none", "output", "source_target", "all"}),
      "tied embeddings: target and output projection (output), source and "
      "target (source_target, for a joint vocabulary), or all three");
  }
  v("embedding_scale", embedding_scale, AutoOr({"yes", "no"}),
    "multiply embeddings by the root of the width");
  v("embedding_norm", embedding_norm, AutoOr({"yes", "no"}),
    "layer normalisation of the sum of embeddings");
  v("segments", segments, Range(0, 256),
    "segment (token type) embeddings; 0: the model's");
  if (decoder) {
    v("output_bias", output_bias, "add a bias to the output projection");
  }

  v.Section("Attention");
  v("heads", heads, Range(0, 1024), "heads; 0: the model's").Alias("num_heads");
  v("key_heads", key_heads, Range(0, 1024),
    "heads of keys and values, which heads of queries share; 0: as heads");
  v("score", score, Any{"SCORE"},
    "score function, as 'scaled_dot' (see heed list attentions)");
  v("modifiers", modifiers, Any{"MODIFIERS"},
    "what changes scores or weights, as 'soft_cap(30)'");
  v("attention_mask", attention_mask, Any{"MASK"},
    "positions that self-attention may attend to, as 'window(16)'");
  v("normalizer", normalizer, Any{"NORMALIZER"},
    "from scores to weights, as 'sparsemax'");
  v("attention_bias", attention_bias,
    "add a bias to queries, keys, values and outputs");
  if (decoder) {
    v("alignment_layer", alignment_layer, Range(-1, 255),
      "layer of the decoder, from 0, whose attention is the alignment; -1: the "
      "last one, or with guided_alignment the one before it");
    v("alignment_head", alignment_head, Range(-1, 1023),
      "its head, from 0; -1: the mean of all, or with "
      "guided_alignment head 0");
  }

  v.Section("Regularisation and numbers");
  v("dropout", dropout, Rate(),
    "probability to drop embeddings and what sublayers add; -1: the model's");
  v("attention_dropout", attention_dropout, Rate(),
    "dropout rate of attention weights; -1: the model's");
  v("activation_dropout", activation_dropout, Rate(),
    "probability to drop inside of a feed-forward layer; -1: the model's");
  v("init", init, AutoOr({"glorot", "normal"}), "initial weights");
  v("init_scale", init_scale, Range(1e-6, 10),
    "standard deviation of init normal");
  v("precision", precision, OneOf{"f32", "bf16"},
    "number format of matrix products; weights stay f32");
}

void TransformerConfig::Resolve(const std::string& model) {
  FillPreset(FieldsOf(*this), FindModel(model).Variant("auto").preset);
  if (decoder_layers == 0) decoder_layers = layers;
  if (key_heads == 0) key_heads = heads;
  if (final_norm == "auto") final_norm = norm == "pre" ? "yes" : "no";

  Require(width % heads == 0,
          fmt::format("heads: a width of {} does not divide into {} heads",
                      width, heads));
  Require(heads % key_heads == 0,
          fmt::format("key_heads: {} heads cannot share {}; choose a divisor",
                      heads, key_heads));
  Require(width % 2 == 0 || !position.starts_with("sinusoidal"),
          fmt::format("position: sines and cosines need an even width, not {}",
                      width));
  Require(position != "rotary" || width / heads % 2 == 0,
          fmt::format("position: rotary turns pairs of features, but a head "
                      "has {}",
                      width / heads));
  Require(alignment_layer < decoder_layers,
          fmt::format("alignment_layer: {} is counted from 0, and there are {} "
                      "layers",
                      alignment_layer, decoder_layers));
  Require(alignment_head < heads,
          fmt::format("alignment_head: {} is counted from 0, and there are {} "
                      "heads",
                      alignment_head, heads));
  CheckParts(*this);
}

Init MatrixInit(const TransformerConfig& c) {
  if (c.init == "normal") return {Init::Kind::kNormal, c.init_scale};
  return {};
}

Init EmbeddingInit(const TransformerConfig& c) {
  if (c.init == "normal") return {Init::Kind::kNormal, c.init_scale};
  return {Init::Kind::kNormal, 1 / std::sqrt(static_cast<double>(c.width))};
}

kernels::Precision ParsePrecision(const std::string& precision) {
  return precision == "bf16" && kernels::HasBF16()
             ? kernels::Precision::kBF16
             : kernels::Precision::kNative;
}

TransformerOptions StackOptions(const TransformerConfig& c) {
  TransformerOptions o;
  o.layers = c.layers;
  o.width = c.width;
  o.feed_forward = c.ff;
  o.heads = c.heads;
  o.key_heads = c.key_heads;
  o.pre_norm = c.norm == "pre";
  o.final_norm = c.final_norm == "yes";
  o.epsilon = c.epsilon;
  o.gated = c.activation == "swiglu";
  o.activation = ParseActivation(c.activation);
  o.attention_bias = c.attention_bias;
  o.dropout = c.dropout;
  o.attention_dropout = c.attention_dropout;
  o.activation_dropout = c.activation_dropout;
  o.score = ChooseScore(c.score);
  o.modifiers = ChooseModifiers(c.modifiers);
  if (c.position == "rotary" || c.position == "alibi") {
    o.self_modifiers = ChooseModifiers(c.position);
  } else if (c.position == "relative") {
    o.self_modifiers = ChooseModifiers("relative_bias");
  }
  o.mask = ParseMask(c.attention_mask, {});
  o.normalizer = ChooseNormalizer(c.normalizer);
  o.positions = c.max_positions;
  o.init = MatrixInit(c);
  o.precision = ParsePrecision(c.precision);
  return o;
}

}  // namespace heed
