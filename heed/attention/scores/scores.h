// The makers of all scores, for the registry.
#ifndef HEED_ATTENTION_SCORES_SCORES_H_
#define HEED_ATTENTION_SCORES_SCORES_H_

#include "heed/attention/score.h"

namespace heed {

std::unique_ptr<Score> MakeAdditiveScore(const Scope&, const ScoreOptions&);
std::unique_ptr<Score> MakeCosineScore(const Scope&, const ScoreOptions&);
std::unique_ptr<Score> MakeDotScore(const Scope&, const ScoreOptions&);
std::unique_ptr<Score> MakeGeneralScore(const Scope&, const ScoreOptions&);
std::unique_ptr<Score> MakeLocationScore(const Scope&, const ScoreOptions&);
std::unique_ptr<Score> MakeMlpScore(const Scope&, const ScoreOptions&);
std::unique_ptr<Score> MakeScaledDotScore(const Scope&, const ScoreOptions&);

}  // namespace heed

#endif  // HEED_ATTENTION_SCORES_SCORES_H_
