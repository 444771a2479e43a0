// e = qᵀ k, and e = qᵀ k / √d, which keeps the variance of a score at 1 where
// the features have variance 1.
// Papers: Luong et al. 2015, arXiv:1508.04025, eq. 8; Vaswani et al. 2017,
// arXiv:1706.03762, eq. 1.
#include <cmath>

#include "heed/attention/scores/scores.h"
#include "heed/ops/attention.h"

namespace heed {
namespace {

class DotScore : public Score {
 public:
  explicit DotScore(double scale) : scale_(scale) {}

  Var operator()(const Context& /*ctx*/, const Var& query,
                 const PreparedKeys& keys) const override {
    return DotScores(query, keys.keys, scale_, keys.lengths);
  }

 private:
  double scale_;
};

}  // namespace

std::unique_ptr<Score> MakeDotScore(const Scope& /*scope*/,
                                    const ScoreOptions& /*options*/) {
  return std::make_unique<DotScore>(1.0);
}

std::unique_ptr<Score> MakeScaledDotScore(const Scope& /*scope*/,
                                          const ScoreOptions& options) {
  return std::make_unique<DotScore>(
      1 / std::sqrt(static_cast<double>(options.key)));
}

}  // namespace heed
