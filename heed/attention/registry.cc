// Registry of all parts by name, in the order of publication. A new part is a
// file in its folder and a line here; other programs register theirs by
// AddScore, AddModifier, AddMask and AddNormalizer.
#include "heed/base/registry.h"

#include <utility>

#include "heed/attention/masks/rules.h"
#include "heed/attention/modifiers/modifiers.h"
#include "heed/attention/normalizers/normalizers.h"
#include "heed/attention/scores/scores.h"

namespace heed {
namespace {

std::vector<ScoreInfo>& ScoreRows() {
  static std::vector<ScoreInfo> rows = {
      AdditiveInfo(),      CosineInfo(),       MlpInfo(),
      LocationInfo(),      GeneralInfo(),      DotInfo(),
      LocationAwareInfo(), LearnedQueryInfo(), CoverageInfo(),
      UniformInfo(),       ScaledDotInfo(),    GraphInfo(),
      LeakyAdditiveInfo(),
  };
  return rows;
}

std::vector<ModifierInfo>& ModifierRows() {
  static std::vector<ModifierInfo> rows = {
      StrengthInfo(),       InterpolateInfo(),  ShiftInfo(),
      SharpenWeightsInfo(), LocalPInfo(),       LocalPScoresInfo(),
      SharpenInfo(),        MedianWindowInfo(), TemperatureInfo(),
      RelativeBiasInfo(),   LearnedBiasInfo(),  RotaryInfo(),
      AlibiInfo(),          SoftCapInfo(),
  };
  return rows;
}

std::vector<MaskInfo>& MaskRows() {
  static std::vector<MaskInfo> rows = {
      PaddingInfo(),   LocalMInfo(), StrictCausalInfo(), CausalInfo(),
      AdjacencyInfo(), PrefixInfo(), WindowInfo(),       DocumentsInfo(),
  };
  return rows;
}

std::vector<NormalizerInfo>& NormalizerRows() {
  static std::vector<NormalizerInfo> rows = {
      SoftmaxInfo(),   SmoothedSigmoidInfo(), TopKInfo(),     HardInfo(),
      SparsemaxInfo(), GumbelInfo(),          Entmax15Info(), SigmoidInfo(),
  };
  return rows;
}

}  // namespace

const std::vector<ScoreInfo>& Scores() { return ScoreRows(); }

void AddScore(ScoreInfo row) { AddRow(ScoreRows(), std::move(row), "score"); }

const std::vector<ModifierInfo>& Modifiers() { return ModifierRows(); }

void AddModifier(ModifierInfo row) {
  AddRow(ModifierRows(), std::move(row), "modifier");
}

const std::vector<MaskInfo>& Masks() { return MaskRows(); }

void AddMask(MaskInfo row) { AddRow(MaskRows(), std::move(row), "mask"); }

const std::vector<NormalizerInfo>& Normalizers() { return NormalizerRows(); }

void AddNormalizer(NormalizerInfo row) {
  AddRow(NormalizerRows(), std::move(row), "normalizer");
}

Choice<Score> ChooseScore(const std::string& text) {
  return ChoosePart("score", Scores(), text);
}

Choice<Modifier> ChooseModifier(const std::string& text) {
  return ChoosePart("modifier", Modifiers(), text);
}

std::vector<Choice<Modifier>> ChooseModifiers(const std::string& text) {
  std::vector<Choice<Modifier>> modifiers;
  if (text.empty() || text == "none") return modifiers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    modifiers.push_back(ChooseModifier(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return modifiers;
}

Choice<Normalizer> ChooseNormalizer(const std::string& text) {
  return ChoosePart("normalizer", Normalizers(), text);
}

}  // namespace heed
