#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/attention/scores/scores.h"
#include "heed/base/errors.h"

namespace heed {

const std::vector<ScoreInfo>& Scores() {
  static const std::vector<ScoreInfo> scores = {
      {"additive", "wᵀ tanh(W q + U k)",
       "Bahdanau et al. 2014, arXiv:1409.0473", false, MakeAdditiveScore},
      {"cosine", "β cos(q, k)", "Graves et al. 2014, arXiv:1410.5401", true,
       MakeCosineScore},
      {"mlp", "wᵀ tanh(… tanh(W q + U k))", "Xu et al. 2015, arXiv:1502.03044",
       false, MakeMlpScore},
      {"location", "(W q)_s", "Luong et al. 2015, arXiv:1508.04025", false,
       MakeLocationScore},
      {"general", "qᵀ W k", "Luong et al. 2015, arXiv:1508.04025", false,
       MakeGeneralScore},
      {"dot", "qᵀ k", "Luong et al. 2015, arXiv:1508.04025", true,
       MakeDotScore},
      {"scaled_dot", "qᵀ k / √d", "Vaswani et al. 2017, arXiv:1706.03762", true,
       MakeScaledDotScore},
  };
  return scores;
}

std::vector<std::string> ScoreNames() {
  std::vector<std::string> names;
  for (const ScoreInfo& score : Scores()) names.push_back(score.name);
  return names;
}

const ScoreInfo& FindScore(const std::string& name) {
  for (const ScoreInfo& score : Scores()) {
    if (score.name == name) return score;
  }
  throw ConfigError(fmt::format("unknown score '{}'; there are {}", name,
                                fmt::join(ScoreNames(), ", ")));
}

PreparedKeys Score::Prepare(const Context& /*ctx*/, const Var& keys,
                            const Tensor& lengths) const {
  return {keys, lengths};
}

}  // namespace heed
