#include "heed/models/recurrent_config.h"

#include <fmt/format.h>

#include "heed/attention/attention.h"
#include "heed/base/errors.h"
#include "heed/models/registry.h"
#include "heed/models/settings.h"
#include "heed/nn/recurrent.h"

namespace heed {
void RecurrentConfig::Visit(FieldList& v) {
  v("variant", variant, AutoOr(VariantNames()), "which variant of it");
  v("embedding", embedding, Range(1, 16384), "features of a word")
      .Alias("embedding_size");
  v("units", units, Range(1, 16384), "features of a decoder state")
      .Alias("hidden")
      .Alias("hidden_size");
  v("encoder_units", encoder_units, Range(0, 16384),
    "features of an encoder state, per direction; 0: as units, or half of it "
    "where the score needs equal sizes");
  v("layers", layers, Range(0, kMaxLayers), "recurrent layers; 0: the model's")
      .Alias("num_layers");
  v("cell", cell, AutoOr(CellNames()), "recurrent cell");
  v("bidirectional", bidirectional, AutoOr({"yes", "no"}),
    "read the source in both directions");
  v("reverse_source", reverse_source, AutoOr({"yes", "no"}),
    "read the source from its end");
  v("bridge", bridge, AutoOr({"project", "mean", "copy"}),
    "initial decoder state: the encoder's last states, projected (project) or "
    "as they are (copy), or the projected mean of its outputs (mean)");

  v.Section("Attention");
  v("attention", attention, AutoOr({"none", "before", "between", "after"}),
    "where in a decoder step attention stands");
  v("score", score, Any{"SCORE"},
    "score function, as 'additive' (see heed list attentions)");
  v("modifiers", modifiers, Any{"MODIFIERS"},
    "what changes scores or weights, as 'local_p(10); soft_cap(30)'");
  v("attention_mask", attention_mask, Any{"MASK"},
    "source positions that a target position may attend to, as 'local_m(10)'");
  v("normalizer", normalizer, Any{"NORMALIZER"},
    "from scores to weights, as 'sparsemax'");
  v("heads", heads, Range(1, 256), "heads of the attention").Alias("num_heads");
  v("attention_dropout", attention_dropout, UpToBelow(0, 1),
    "dropout rate of attention weights");
  v("attention_units", attention_units, Range(0, 16384),
    "width of an additive or mlp score; 0: as units");
  v("mlp_layers", mlp_layers, Range(1, 16), "hidden layers of the mlp score");
  v("positions", positions, Range(1, 10000),
    "source positions that the location score can address");
  v("input_feeding", input_feeding, AutoOr({"yes", "no"}),
    "feed the attentional state into the next step (attention after)");

  v.Section("Read-out");
  v("readout", readout, AutoOr({"maxout", "tanh", "none"}),
    "layer between the decoder state and the vocabulary");
  v("readout_units", readout_units, Range(0, 16384),
    "its width; 0: as embedding");
  v("readout_state", readout_state, AutoOr({"prev", "cur"}),
    "decoder state that it reads (prev: as published by Bahdanau)");
  v("tie_output", tie_output,
    "share the target embedding with the output matrix");

  v.Section("Regularisation and numbers");
  v("dropout", dropout, UpToBelow(0, 1),
    "probability to drop embeddings, encoder outputs and read-outs");
  v("variational", variational, "drop the same features at every step");
  v("init", init, OneOf{"glorot", "uniform", "normal"},
    "initial weights; normal: recurrent ones orthogonal");
  v("init_scale", init_scale, Range(1e-6, 10),
    "half width (uniform) or standard deviation (normal)");
  v("precision", precision, OneOf{"f32", "bf16"},
    "number format of matrix products; weights stay f32");
}

void RecurrentConfig::Resolve() {
  const ModelVariant& chosen_variant = FindModel(model).Variant(variant);
  variant = chosen_variant.name;
  RecurrentConfig published;
  FillPreset(FieldsOf(published), chosen_variant.preset);
  if (input_feeding == "auto" && attention != "auto" && attention != "after") {
    input_feeding = "no";
  }
  FillPreset(FieldsOf(*this), chosen_variant.preset);
  if (attention_units == 0) attention_units = units;
  if (readout_units == 0) readout_units = embedding;
  const bool two = bidirectional == "yes";
  const ScoreInfo info =
      OfSetting("score", [&] { return ChooseScore(score).info; });
  const bool equal = attention != "none" && info.equal_sizes;
  if (encoder_units == 0) encoder_units = two && equal ? units / 2 : units;

  OfSetting("modifiers", [&] { return ChooseModifiers(modifiers); });
  OfSetting("attention_mask", [&] { return ParseMask(attention_mask, {}); });
  const NormalizerInfo chosen = OfSetting(
      "normalizer", [&] { return ChooseNormalizer(normalizer).info; });
  Require(chosen.name != "hard",
          "normalizer 'hard' learns by REINFORCE, which needs a reward of the "
          "program that trains (see docs/attention/hard.md); choose 'gumbel'");
  Require(
      (attention == "none") == (published.attention == "none"),
      fmt::format("attention '{}' is not for model '{}'", attention, model));
  Require(
      !(two && attention == "none"),
      "bidirectional needs attention: without it only the state at the end of "
      "one direction is read");
  Require(
      !equal || encoder_units * (two ? 2 : 1) == units,
      fmt::format("score '{}' needs queries and keys of one size: units is {}, "
                  "the encoder gives {}",
                  score, units, encoder_units * (two ? 2 : 1)));
  const int keys = encoder_units * (two ? 2 : 1);
  Require(attention == "none" || (units % heads == 0 && keys % heads == 0),
          fmt::format("heads: {} units and {} encoder features do not divide "
                      "into {} heads",
                      units, keys, heads));
  Require(
      bridge != "copy" || (!two && encoder_units == units),
      "bridge 'copy' needs an encoder of one direction with as many units as "
      "the decoder; choose bridge 'project'");
  Require(input_feeding == "no" || attention == "after",
          "input_feeding needs attention 'after'");
  Require(!(two && reverse_source == "yes"),
          "reverse_source is for an encoder of one direction");
  Require(!(variant == "cho" && cell != "gru"),
          "variant 'cho' adds the context inside of the reset gate, which only "
          "cell 'gru' can");
  Require(
      !tie_output || (readout == "none" ? units : readout_units) == embedding,
      "tie_output needs the read-out (or, without one, the state) to be as "
      "wide as the embedding");
}

}  // namespace heed
