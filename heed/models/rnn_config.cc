#include "heed/models/rnn_config.h"

#include <fmt/format.h>

#include "heed/attention/attention.h"
#include "heed/base/errors.h"
#include "heed/models/self_score.h"
#include "heed/models/settings.h"
#include "heed/nn/recurrent.h"

namespace heed {
void RnnConfig::Visit(FieldList& v) {
  v.Section("Recurrence");
  v("cell", cell, OneOf(CellNames()), "recurrent cell");
  v("units", units, Range(1, 16384), "features of a state, per direction")
      .Alias("hidden")
      .Alias("hidden_size");
  v("layers", layers, Range(0, kMaxLayers),
    "recurrent layers; 0: attention alone")
      .Alias("num_layers");
  v("bidirectional", bidirectional, OneOf{"auto", "yes", "no"},
    "read in both directions; auto: yes, but for a language model");

  v.Section("Self-attention");
  v("self_attention", self_attention,
    OneOf{"auto", "none", "full", "causal", "strict"},
    "states that a state attends to: all (full), those up to itself (causal), "
    "those before it (strict); auto: full, or causal for a language model");
  v("score", score, Any{"SCORE"},
    "score function, as 'additive' (see heed list attentions)");
  v("modifiers", modifiers, Any{"MODIFIERS"},
    "what changes scores or weights, as 'alibi; soft_cap(30)'");
  v("normalizer", normalizer, Any{"NORMALIZER"},
    "from scores to weights, as 'sparsemax'");
  v("heads", heads, Range(1, 256), "heads of the attention").Alias("num_heads");
  v("attention_units", attention_units, Range(0, 16384),
    "width of an additive or mlp score; 0: as units");
  v("positions", positions, Range(1, 10000),
    "states that the location score can address");
  v("attention_dropout", attention_dropout, UpToBelow(0, 1),
    "dropout rate of attention weights");
  v("combine", combine, OneOf{"concat", "tanh"},
    "state h and context c become [h; c], or tanh(W [h; c] + b)");

  v.Section("Regularisation and numbers");
  v("dropout", dropout, UpToBelow(0, 1),
    "probability to drop features of inputs, of states and between layers");
  v("variational", variational, "drop the same features at every step");
  v("init", init, OneOf{"glorot", "uniform", "normal"},
    "initial weights; normal: recurrent ones orthogonal");
  v("init_scale", init_scale, Range(1e-6, 10),
    "half width (uniform) or standard deviation (normal)");
  v("forget_gate_bias", forget_gate_bias, Range(-20, 20),
    "initial bias of the forget gate (a GRU's update gate); at 0 half of the "
    "state is lost at each step")
      .Alias("keep_bias");
  v("precision", precision, OneOf{"f32", "bf16"},
    "number format of matrix products; weights stay f32");
}

void RnnConfig::Resolve(bool causal) {
  if (bidirectional == "auto")
    bidirectional = causal || layers == 0 ? "no" : "yes";
  if (self_attention == "auto") self_attention = causal ? "causal" : "full";
  if (attention_units == 0) attention_units = units;
  const char* later = "a model that may not see what comes later";
  Require(!causal || bidirectional == "no",
          fmt::format("bidirectional: {} reads in one direction", later));
  Require(!causal || self_attention != "full",
          fmt::format("self_attention 'full' is not for {}; choose causal or "
                      "strict",
                      later));
  Require(layers > 0 || self_attention != "none",
          "layers 0 without self_attention leaves nothing");
  Require(layers > 0 || bidirectional == "no",
          "bidirectional needs recurrent layers");
  if (self_attention == "none") return;
  CheckSelfScore(score);
  OfSetting("modifiers", [&] { return ChooseModifiers(modifiers); });
  const NormalizerInfo chosen = OfSetting(
      "normalizer", [&] { return ChooseNormalizer(normalizer).info; });
  Require(chosen.name != "hard",
          "normalizer 'hard' learns by REINFORCE, which needs a reward of the "
          "program that trains; choose 'gumbel'");
  Require(layers == 0 || units * (bidirectional == "yes" ? 2 : 1) % heads == 0,
          fmt::format("heads: {} features of a state do not divide into {}",
                      units * (bidirectional == "yes" ? 2 : 1), heads));
}

Init InputInit(const RnnConfig& c) {
  if (c.init == "uniform") return {Init::Kind::kUniform, c.init_scale};
  if (c.init == "normal") return {Init::Kind::kNormal, c.init_scale};
  return {};
}

Init RecurrentInit(const RnnConfig& c) {
  return c.init == "normal" ? Init{Init::Kind::kOrthogonal, 1} : InputInit(c);
}

}  // namespace heed
