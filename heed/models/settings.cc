#include "heed/models/settings.h"

namespace heed {
namespace {

/// Builds the score to check that it supports self attention.
void CheckSelfScore(const Choice<Score>& choice, const std::string& text) {
  ParameterSet unused(0, DType::kF32, kernels::Precision::kNative);
  AttentionSizes sizes;
  sizes.query = sizes.key = sizes.units = sizes.positions = 1;
  const auto score = choice.Make(Scope(unused, "score"), sizes);
  Require(score->takes_query(),
          fmt::format("'{}' gives one look for a whole text, but here every "
                      "position has its own; choose another score",
                      text));
  Require(!score->uses_history(),
          fmt::format("'{}' reads the weights of the step before, but here all "
                      "positions attend at once; choose another score",
                      text));
}

}  // namespace

kernels::Precision PrecisionOf(NumberFormat format) {
  return format == NumberFormat::kBF16 && kernels::HasBF16()
             ? kernels::Precision::kBF16
             : kernels::Precision::kNative;
}

kernels::Precision PrecisionOf(RunFormat format) {
  if (format == RunFormat::kInt8) return kernels::Precision::kInt8;
  return PrecisionOf(format == RunFormat::kBF16 ? NumberFormat::kBF16
                                                : NumberFormat::kF32);
}

void AttentionSettings::VisitParts(FieldList& v, const Help& help) {
  v("score", score, Any{"SCORE"},
    fmt::format("score function, as '{}' (see heed list attentions)",
                help.score));
  v("modifiers", modifiers, Any{"MODIFIERS"},
    fmt::format("modifiers of scores or weights, such as '{}'",
                help.modifiers));
  if (help.mask != nullptr) {
    v("attention_mask", attention_mask, Any{"MASK"}, help.mask);
  }
  v("normalizer", normalizer, Any{"NORMALIZER"},
    "function that turns scores into weights, such as 'sparsemax'");
}

void AttentionSettings::VisitDropout(FieldList& v) {
  v("attention_dropout", attention_dropout, UpToBelow(0, 1),
    "dropout rate of attention weights");
}

AttentionSpec AttentionSettings::Spec(bool self) const {
  AttentionSpec spec;
  spec.score = OfSetting("score", [&] {
    Choice<Score> choice = ChooseScore(score);
    if (self) CheckSelfScore(choice, score);
    return choice;
  });
  spec.modifiers =
      OfSetting("modifiers", [&] { return ChooseModifiers(modifiers); });
  spec.mask = OfSetting("attention_mask",
                        [&] { return ParseMask(attention_mask, {}); });
  spec.normalizer =
      OfSetting("normalizer", [&] { return ChooseNormalizer(normalizer); });
  Require(!self || !spec.normalizer.info.chooses,
          "normalizer '" + spec.normalizer.info.name +
              "' learns by REINFORCE, from the reward of what is written: only "
              "the attention of a recurrent decoder has one (see "
              "docs/reference/attention/hard.md); choose 'gumbel'");
  spec.dropout = attention_dropout;
  return spec;
}

void RecurrentAttentionSettings::VisitHeads(FieldList& v) {
  v("heads", heads, Range(1, 256), "heads of the attention").Alias("num_heads");
}

void RecurrentAttentionSettings::VisitUnits(FieldList& v) {
  v("attention_units", attention_units, Range(0, 16384),
    "width of an additive or mlp score; 0: as units");
}

void RecurrentAttentionSettings::VisitPositions(FieldList& v, const char* of) {
  v("positions", positions, Range(1, 10000),
    fmt::format("{} that the location score can address", of))
      .If(score.find("location") != score.npos, "--score location");
}

void RecurrentAttentionSettings::VisitIdle(FieldList& v,
                                           const std::string& needs) {
  for (const char* key :
       {"score", "modifiers", "attention_mask", "normalizer", "heads",
        "attention_units", "mlp_layers", "positions", "attention_dropout"}) {
    v.If(key, false, needs);
  }
}

AttentionSpec RecurrentAttentionSettings::Spec(bool self, int64_t query,
                                               int64_t key, Init init) const {
  AttentionSpec spec = AttentionSettings::Spec(self);
  spec.heads = heads;
  spec.query = query;
  spec.key = key;
  spec.units = (attention_units + heads - 1) / heads;
  spec.layers = mlp_layers;
  spec.positions = positions;
  spec.init = init;
  return spec;
}

Init InitSettings::Matrix() const {
  if (kind == InitKind::kUniform) return {Init::Kind::kUniform, scale};
  if (kind == InitKind::kNormal) return {Init::Kind::kNormal, scale};
  return {};
}

Init InitSettings::Recurrent() const {
  return kind == InitKind::kNormal ? Init{Init::Kind::kOrthogonal, 1}
                                   : Matrix();
}

void ForgetBias::VisitForgetBias(FieldList& v) {
  v("forget_bias", forget_bias, Range(-20, 20),
    "initial bias of the forget gates of an LSTM (no effect on other cells)");
}

double ForgetBias::ForgetBiasOf(Cell cell) const {
  const bool lstm = cell == Cell::kLstm || cell == Cell::kNestedLstm;
  return lstm ? forget_bias : 0;
}

void RecurrentNumbers::VisitDropout(FieldList& v, const char* dropped) {
  v.Section("Regularisation and numbers");
  v("dropout", dropout, UpToBelow(0, 1),
    fmt::format("probability to drop {}", dropped));
  v("variational", variational,
    "use one dropout mask for all steps (variational dropout)");
}

void RecurrentNumbers::VisitInit(FieldList& v) {
  v("init", init, "initial weights; normal: recurrent matrices are orthogonal");
  v("init_scale", init_scale, Range(1e-6, 10),
    "half width (init uniform) or standard deviation (init normal)")
      .If(init != InitKind::kGlorot, "--init uniform or normal");
}

void VisitPrecision(FieldList& v, Named<NumberFormat>& precision) {
  v("precision", precision,
    "number format of matrix products; weights stay f32");
}

}  // namespace heed
