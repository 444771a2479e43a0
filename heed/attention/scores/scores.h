// The makers of all scores, for the registry.
#ifndef HEED_ATTENTION_SCORES_SCORES_H_
#define HEED_ATTENTION_SCORES_SCORES_H_

#include "heed/attention/score.h"
#include "heed/ops/attention.h"

namespace heed {

ScoreInfo AdditiveInfo();
ScoreInfo CosineInfo();
ScoreInfo CoverageInfo();
ScoreInfo DotInfo();
ScoreInfo GeneralInfo();
ScoreInfo GraphInfo();
ScoreInfo LeakyAdditiveInfo();
ScoreInfo LearnedQueryInfo();
ScoreInfo LocationAwareInfo();
ScoreInfo LocationInfo();
ScoreInfo MlpInfo();
ScoreInfo ScaledDotInfo();
ScoreInfo UniformInfo();

/// `scale` times the dot product of prepared queries and keys.
class ProductScore : public Score {
 public:
  explicit ProductScore(double scale = 1) : scale_(scale) {}

  Var Scores(const Context& /*ctx*/, const Var& query,
             const Var& keys) const override {
    return DotScores(query, keys, scale_);
  }
  std::optional<FusedScore> Fused(const Context& /*ctx*/,
                                  DType /*dtype*/) const override {
    return FusedScore{kernels::AttentionArgs::Score::kDot, scale_, {}};
  }
  bool fused() const override { return true; }
  bool turns() const override { return true; }

 private:
  double scale_;
};

/// PartInfo::make for a class constructed from scope, sizes and arguments.
template <class T>
std::unique_ptr<Score> MakeScore(const Scope& scope,
                                 const AttentionSizes& sizes,
                                 std::span<const double> arguments) {
  return std::make_unique<T>(scope, sizes, arguments);
}

}  // namespace heed

#endif  // HEED_ATTENTION_SCORES_SCORES_H_
