#include "heed/models/transformer_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/errors.h"
#include "heed/models/preset.h"
#include "heed/models/self_score.h"
#include "heed/models/settings.h"
#include "heed/nn/positions.h"

namespace heed {
namespace {

/// What a named model chooses.
struct TransformerPreset {
  ModelInfo info;
  int layers;
  int width;
  int ff;
  int heads;
  double dropout;
  const char* norm;
  bool bert;
  bool marian = false;  // what MarianMT of Hugging Face can hold
};

/// Settings that only a decoder has.
constexpr const char* kDecoderSettings[] = {"decoder_layers", "tie",
                                            "output_bias", "alignment_layer",
                                            "alignment_head"};

constexpr char kVaswani[] = "Vaswani et al. 2017, arXiv:1706.03762";
constexpr char kMarian[] = "Junczys-Dowmunt et al. 2018, arXiv:1804.00344";
constexpr char kDevlin[] = "Devlin et al. 2018, arXiv:1810.04805";
constexpr char kTurc[] = "Turc et al. 2019, arXiv:1908.08962";

const std::vector<TransformerPreset>& TransformerPresets() {
  static const std::vector<TransformerPreset> presets = {
      {{"transformer", "", "sizes as asked for, else those of transformer-tiny",
        kVaswani},
       4,
       128,
       256,
       4,
       0.1,
       "pre",
       false},
      {{"transformer-tiny", "", "4 + 4 layers of 128 features, pre-norm",
        "Wu et al. 2021, arXiv:2105.14462"},
       4,
       128,
       256,
       4,
       0.1,
       "pre",
       false},
      {{"transformer-marian", "",
        "as transformer-tiny, post-norm: heed export can write it", kMarian},
       4,
       128,
       256,
       4,
       0.1,
       "post",
       false,
       true},
      {{"transformer-base", "", "6 + 6 layers of 512 features", kVaswani},
       6,
       512,
       2048,
       8,
       0.1,
       "post",
       false},
      {{"transformer-big", "", "6 + 6 layers of 1024 features", kVaswani},
       6,
       1024,
       4096,
       16,
       0.3,
       "post",
       false},
      {{"bert-tiny", "", "encoder: 2 layers of 128 features", kTurc},
       2,
       128,
       512,
       2,
       0.1,
       "post",
       true},
      {{"bert-mini", "", "encoder: 4 layers of 256 features", kTurc},
       4,
       256,
       1024,
       4,
       0.1,
       "post",
       true},
      {{"bert-small", "", "encoder: 4 layers of 512 features", kTurc},
       4,
       512,
       2048,
       8,
       0.1,
       "post",
       true},
      {{"bert-base", "", "encoder: 12 layers of 768 features", kDevlin},
       12,
       768,
       3072,
       12,
       0.1,
       "post",
       true},
  };
  return presets;
}

std::vector<ModelInfo> InfosOf(bool bert) {
  std::vector<ModelInfo> infos;
  for (const TransformerPreset& preset : TransformerPresets()) {
    if (preset.bert == bert) infos.push_back(preset.info);
  }
  return infos;
}

const TransformerPreset& FindPreset(const std::string& model) {
  std::vector<std::string> names;
  for (const TransformerPreset& preset : TransformerPresets()) {
    if (preset.info.model == model) return preset;
    names.push_back(preset.info.model);
  }
  ThrowUnknownPart("Transformer", model, names);
}

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

const std::vector<ModelInfo>& TransformerModels() {
  static const std::vector<ModelInfo> models = InfosOf(false);
  return models;
}

const std::vector<ModelInfo>& BertModels() {
  static const std::vector<ModelInfo> models = InfosOf(true);
  return models;
}

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
  const TransformerPreset& preset = FindPreset(model);
  const bool bert = preset.bert;
  FillNumber(layers, preset.layers);
  FillNumber(decoder_layers, layers);
  FillNumber(width, preset.width);
  FillNumber(ff, preset.ff);
  FillNumber(heads, preset.heads);
  FillNumber(key_heads, heads);
  FillText(norm, preset.norm);
  FillText(final_norm, norm == "pre" ? "yes" : "no");
  FillText(activation, bert ? "gelu" : preset.marian ? "swish" : "relu");
  FillText(position, bert            ? "learned"
                     : preset.marian ? "sinusoidal_concat"
                                     : "sinusoidal");
  FillNumber(max_positions, bert ? 512 : 1024);
  FillText(tie, "output");
  FillText(embedding_scale, bert ? "no" : "yes");
  FillText(embedding_norm, bert ? "yes" : "no");
  FillNumber(segments, bert ? 2 : 0);
  FillRate(dropout, preset.dropout);
  FillRate(attention_dropout, bert ? 0.1 : 0);
  FillRate(activation_dropout, 0);
  if (epsilon == 0) epsilon = bert ? 1e-12 : 1e-5;
  FillText(init, bert ? "normal" : "glorot");

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

void DropFormerSettings(const std::vector<Field>& fields,
                        nlohmann::ordered_json& settings) {
  for (const char* key : kDecoderSettings) {
    const bool known = std::ranges::any_of(
        fields, [key](const Field& field) { return field.key == key; });
    if (!known) settings.erase(key);
  }
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
