// Every part by name, in the order of its invention. A new one is a file in its
// folder and a line here.
#include "heed/attention/masks/rules.h"
#include "heed/attention/modifiers/modifiers.h"
#include "heed/attention/normalizers/normalizers.h"
#include "heed/attention/scores/scores.h"

namespace heed {

const std::vector<ScoreInfo>& Scores() {
  static const std::vector<ScoreInfo> scores = {
      AdditiveInfo(), CosineInfo(),    MlpInfo(),           LocationInfo(),
      GeneralInfo(),  DotInfo(),       LocationAwareInfo(), LearnedQueryInfo(),
      UniformInfo(),  ScaledDotInfo(), GraphInfo(),         LeakyAdditiveInfo(),
  };
  return scores;
}

const std::vector<ModifierInfo>& Modifiers() {
  static const std::vector<ModifierInfo> modifiers = {
      StrengthInfo(),       InterpolateInfo(),  ShiftInfo(),
      SharpenWeightsInfo(), LocalPInfo(),       LocalPScoresInfo(),
      SharpenInfo(),        MedianWindowInfo(), TemperatureInfo(),
      RelativeBiasInfo(),   LearnedBiasInfo(),  RotaryInfo(),
      AlibiInfo(),          SoftCapInfo(),
  };
  return modifiers;
}

const std::vector<MaskInfo>& Masks() {
  static const std::vector<MaskInfo> masks = {
      PaddingInfo(),   LocalMInfo(), StrictCausalInfo(), CausalInfo(),
      AdjacencyInfo(), PrefixInfo(), WindowInfo(),       DocumentsInfo(),
  };
  return masks;
}

const std::vector<NormalizerInfo>& Normalizers() {
  static const std::vector<NormalizerInfo> normalizers = {
      SoftmaxInfo(),   SmoothedSigmoidInfo(), TopKInfo(),     HardInfo(),
      SparsemaxInfo(), GumbelInfo(),          Entmax15Info(), SigmoidInfo(),
  };
  return normalizers;
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
