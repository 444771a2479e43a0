// The makers of all scores, for the registry.
#ifndef HEED_ATTENTION_SCORES_SCORES_H_
#define HEED_ATTENTION_SCORES_SCORES_H_

#include "heed/attention/score.h"

namespace heed {

ScoreInfo AdditiveInfo();
ScoreInfo CosineInfo();
ScoreInfo DotInfo();
ScoreInfo GeneralInfo();
ScoreInfo GraphInfo();
ScoreInfo LearnedQueryInfo();
ScoreInfo LocationAwareInfo();
ScoreInfo LocationInfo();
ScoreInfo MlpInfo();
ScoreInfo ScaledDotInfo();

/// A PartInfo::make for a class that is made from scope, sizes and arguments.
template <class T>
std::unique_ptr<Score> MakeScore(const Scope& scope,
                                 const AttentionSizes& sizes,
                                 std::span<const double> arguments) {
  return std::make_unique<T>(scope, sizes, arguments);
}

}  // namespace heed

#endif  // HEED_ATTENTION_SCORES_SCORES_H_
