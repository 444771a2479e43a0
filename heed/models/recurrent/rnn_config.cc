#include "heed/models/recurrent/rnn_config.h"

#include <fmt/format.h>

namespace heed {

void RnnConfig::Visit(FieldList& v) {
  v.Section("Recurrence");
  v("cell", cell, "recurrent cell");
  v("units", units, Range(1, 16384), "features of a state, per direction")
      .Alias("hidden")
      .Alias("hidden_size");
  v("layers", layers, Range(0, kMaxLayers),
    "recurrent layers; 0: attention alone")
      .Alias("num_layers");
  v("bidirectional", bidirectional,
    "read in both directions; auto: yes, except for a language model");

  v.Section("Self-attention");
  v("self_attention", self_attention,
    "states that a state attends to: all (full), those up to itself (causal), "
    "those before it (strict); auto: full, or causal for a language model");
  VisitParts(v, {"additive", "alibi; soft_cap(30)", nullptr});
  VisitHeads(v);
  VisitUnits(v);
  VisitPositions(v, "states");
  AttentionSettings::VisitDropout(v);
  v("combine", combine,
    "combination of state h and context c: [h; c] (concat), or tanh(W [h; c] + "
    "b) (tanh)");
  if (self_attention == AttendedStates::kNone) {
    const char* needs = "--self-attention full, causal or strict";
    VisitIdle(v, needs);
    v.If("combine", false, needs);
  }

  RecurrentNumbers::VisitDropout(
      v, "features of inputs, of states and between layers");
  VisitInit(v);
  v("forget_gate_bias", forget_gate_bias, Range(-20, 20),
    "initial bias of the forget gate (a GRU's update gate); at 0 half of the "
    "state is lost at each step")
      .Alias("forget_bias");
  VisitPrecision(v, precision);
}

void RnnConfig::Fill(bool causal) {
  if (bidirectional.open()) bidirectional = ToYesNo(!causal && layers > 0);
  if (self_attention.open()) {
    self_attention = causal ? AttendedStates::kCausal : AttendedStates::kFull;
  }
  if (attention_units == 0) attention_units = units;
}

ResolvedRnn RnnConfig::Resolve(bool causal) const {
  RnnConfig c = *this;
  c.Fill(causal);
  const bool two = c.bidirectional == YesNo::kYes;
  const AttendedStates self = c.self_attention.value();
  const char* later = "a model that may not see what comes later";
  Require(!causal || !two,
          fmt::format("bidirectional: {} reads in one direction", later));
  Require(!causal || self != AttendedStates::kFull,
          fmt::format("self_attention 'full' is not for {}; choose causal or "
                      "strict",
                      later));
  Require(layers > 0 || self != AttendedStates::kNone,
          "layers 0 without self_attention leaves nothing");
  Require(layers > 0 || !two, "bidirectional needs recurrent layers");

  ResolvedRnn r;
  r.recurrent.cell = cell;
  r.recurrent.units = units;
  r.recurrent.layers = layers;
  r.recurrent.bidirectional = two;
  r.recurrent.input_init = Inits().Matrix();
  r.recurrent.recurrent_init = Inits().Recurrent();
  r.recurrent.forget_gate_bias = forget_gate_bias;
  r.recurrent.dropout = dropout;
  r.recurrent.variational = variational;
  r.concat = combine == Combine::kConcat;
  r.dropout = dropout;
  r.variational = variational;
  r.precision = PrecisionOf(precision);
  if (self == AttendedStates::kNone) return r;
  r.attention = c.Spec(/*self=*/true, 0, 0, r.recurrent.input_init);
  if (self == AttendedStates::kCausal) r.attention->mask = Causal();
  if (self == AttendedStates::kStrict) r.attention->mask = StrictCausal();
  const int features = units * (two ? 2 : 1);
  Require(layers == 0 || features % heads == 0,
          fmt::format("heads: {} features of a state do not divide into {}",
                      features, heads));
  return r;
}

}  // namespace heed
