#include "heed/models/recurrent/recurrent_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/models/registry.h"

namespace heed {
void RecurrentConfig::Visit(FieldList& v) {
  v("variant", variant, AutoOr(VariantNames()), "variant of the architecture");
  v("embedding", embedding, Range(1, 16384), "features of a word")
      .Alias("embedding_size");
  v("units", units, Range(1, 16384), "features of a decoder state")
      .Alias("hidden")
      .Alias("hidden_size");
  v("encoder_units", encoder_units, Range(0, 16384),
    "features of an encoder state, per direction; 0: as units, or half of "
    "units if the score needs equal sizes");
  v("layers", layers, Range(0, kMaxLayers),
    "recurrent layers; 0: model default")
      .Alias("num_layers");
  v("cell", cell,
    "recurrent cell; variant cho: of the encoder only, its decoder is a gru");
  v("bidirectional", bidirectional, "read the source in both directions");
  v("reverse_source", reverse_source, "read the source in reverse order");
  v("bridge", bridge,
    "initial decoder state: the encoder's last states, projected (project) or "
    "unchanged (copy), or the projected mean of its outputs (mean)");

  v.Section("Attention");
  v("attention", attention, "position of attention in a decoder step");
  VisitParts(v, {"additive", "local_p(10); soft_cap(30)",
                 "source positions that a target position may attend to, such "
                 "as 'local_m(10)'"});
  VisitHeads(v);
  AttentionSettings::VisitDropout(v);
  VisitUnits(v);
  v("mlp_layers", mlp_layers, Range(1, 16), "hidden layers of the mlp score");
  VisitPositions(v, "source positions");
  v("input_feeding", input_feeding,
    "feed the attentional state into the next step (attention after)");
  if (!attends()) VisitIdle(v, "a model with attention (see heed list models)");

  v.Section("Read-out");
  v("readout", readout, "layer between the decoder state and the vocabulary");
  v("readout_units", readout_units, Range(0, 16384),
    "width of the read-out; 0: as embedding");
  v("readout_state", readout_state,
    "decoder state that the read-out uses; prev: the previous one, as "
    "published by Bahdanau");
  v("tie_output", tie_output,
    "share the target embedding with the output matrix");

  RecurrentNumbers::VisitDropout(v,
                                 "embeddings, encoder outputs and read-outs");
  VisitInit(v);
  VisitForgetBias(v);
  VisitPrecision(v, precision);
}

bool RecurrentConfig::attends() const {
  if (!attention.open()) return !(attention == AttentionPlace::kNone);
  return std::ranges::any_of(
      FindModel(model).variants, [](const ModelVariant& one) {
        return one.preset.find("attention=none") == std::string::npos;
      });
}

void RecurrentConfig::Fill() {
  const ModelVariant& published = FindModel(model).Variant(variant);
  variant = published.name;
  if (input_feeding.open() && !attention.open() &&
      !(attention == AttentionPlace::kAfter)) {
    input_feeding = YesNo::kNo;
  }
  FillPreset(FieldsOf(*this), published.preset);
  if (attention_units == 0) attention_units = units;
  if (readout_units == 0) readout_units = embedding;
  if (encoder_units > 0) return;
  const ScoreInfo info =
      OfSetting("score", [&] { return ChooseScore(score).info; });
  const bool half = bidirectional == YesNo::kYes && info.equal_sizes &&
                    !(attention == AttentionPlace::kNone);
  encoder_units = half ? units / 2 : units;
}

ResolvedRecurrent RecurrentConfig::Resolve() const {
  RecurrentConfig c = *this;
  c.Fill();
  RecurrentConfig published;
  published.model = model;
  published.variant = c.variant;
  published.Fill();
  const bool two = c.bidirectional == YesNo::kYes;
  const bool attends = !(c.attention == AttentionPlace::kNone);
  const int keys = c.encoder_units * (two ? 2 : 1);

  ResolvedRecurrent r;
  r.embedding = embedding;
  r.units = units;
  r.encoder.cell = c.cell.value();
  r.encoder.inputs = embedding;
  r.encoder.units = c.encoder_units;
  r.encoder.layers = c.layers;
  r.encoder.bidirectional = two;
  r.encoder.input_init = Inits().Matrix();
  r.encoder.recurrent_init = Inits().Recurrent();
  r.encoder.forget_gate_bias = ForgetBiasOf(r.encoder.cell);
  r.encoder.dropout = dropout;
  r.encoder.variational = variational;
  r.embedding_init =
      init == InitKind::kGlorot ? kEmbeddingInit : Inits().Matrix();
  r.reverse_source = c.reverse_source == YesNo::kYes;
  r.bridge = c.bridge.value();
  // Cho's encoder applies the reset gate before the product. His decoder
  // applies it after the product, to the context as well.
  r.context_in_gates = c.variant == "cho";
  r.decoder_cell = r.context_in_gates ? Cell::kGru : r.encoder.cell;
  r.attention = c.attention.value();
  r.attention_spec = c.Spec(/*self=*/false, units, keys, r.encoder.input_init);
  r.attention_spec.query_axis = "target";
  r.input_feeding = c.input_feeding == YesNo::kYes;
  r.readout = c.readout.value();
  r.readout_units = c.readout_units;
  r.reads_previous_state = c.readout_state == ReadoutState::kPrevious;
  r.tie_output = tie_output;
  r.dropout = dropout;
  r.variational = variational;
  r.precision = PrecisionOf(precision);

  const bool equal = attends && r.attention_spec.score.info.equal_sizes;
  Require(attends != (published.attention == AttentionPlace::kNone),
          fmt::format("attention '{}' is not for model '{}'",
                      c.attention.word(), model));
  Require(
      !two || attends,
      "bidirectional needs attention: without it only the state at the end of "
      "one direction is read");
  Require(
      !equal || keys == units,
      fmt::format("score '{}' needs queries and keys of one size: units is {}, "
                  "the encoder gives {}",
                  c.score, units, keys));
  Require(!attends || (units % heads == 0 && keys % heads == 0),
          fmt::format("heads: {} units and {} encoder features do not divide "
                      "into {} heads",
                      units, keys, heads));
  Require(
      r.bridge != Bridge::kCopy || (!two && c.encoder_units == units),
      "bridge 'copy' needs an encoder of one direction with as many units as "
      "the decoder; choose bridge 'project'");
  Require(!r.input_feeding || r.attention == AttentionPlace::kAfter,
          "input_feeding needs attention 'after'");
  Require(!(two && r.reverse_source),
          "reverse_source is for an encoder of one direction");
  Require(!r.context_in_gates || StatesOfCell(r.encoder.cell) == 1,
          "variant 'cho' has an encoder whose state is one vector; choose cell "
          "'gru_cho', 'gru', 'gru_bahdanau' or 'rnn'");
  Require(
      !tie_output ||
          (r.readout == Readout::kNone ? units : r.readout_units) == embedding,
      "tie_output needs the read-out (or, without one, the state) to be as "
      "wide as the embedding");
  return r;
}

}  // namespace heed
