// e = β cos(q, k) with a learned key strength β > 0.
// Paper: Graves et al. 2014, arXiv:1410.5401, eq. 5 and 6.
#include <cmath>

#include "heed/attention/scores/scores.h"
#include "heed/ops/attention.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

/// Keeps a zero vector's cosine at zero instead of NaN.
constexpr double kEpsilon = 1e-8;
/// A cosine lies in [-1, 1]: softmax needs a larger range to become sharp.
constexpr double kInitialStrength = 10;

class CosineScore : public Score {
 public:
  explicit CosineScore(const Scope& scope)
      : log_strength_(
            scope.Add("log_strength", {1},
                      {Init::Kind::kConstant, std::log(kInitialStrength)})) {}

  PreparedKeys Prepare(const Context& /*ctx*/, const Var& keys,
                       const Tensor& lengths) const override {
    return {NormalizeRows(keys, kEpsilon), lengths};
  }

  Var operator()(const Context& ctx, const Var& query,
                 const PreparedKeys& keys) const override {
    const Var strength = Exp(ctx.Use(log_strength_));
    return DotScores(ScaleBy(NormalizeRows(query, kEpsilon), strength),
                     keys.keys, 1, keys.lengths);
  }

 private:
  Parameter& log_strength_;
};

}  // namespace

std::unique_ptr<Score> MakeCosineScore(const Scope& scope,
                                       const ScoreOptions& /*options*/) {
  return std::make_unique<CosineScore>(scope);
}

}  // namespace heed
