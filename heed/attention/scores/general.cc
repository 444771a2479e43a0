// e = qᵀ W k, also called bilinear or multiplicative.
// Paper: Luong et al. 2015, arXiv:1508.04025, eq. 8.
#include "heed/attention/scores/scores.h"
#include "heed/ops/attention.h"
#include "heed/ops/matmul.h"

namespace heed {
namespace {

class GeneralScore : public Score {
 public:
  GeneralScore(const Scope& scope, const ScoreOptions& o)
      : key_(scope.Add("key.weight", {o.key, o.query}, o.init)) {}

  PreparedKeys Prepare(const Context& ctx, const Var& keys,
                       const Tensor& lengths) const override {
    return {MatMul(keys, ctx.Use(key_)), lengths};
  }

  Var operator()(const Context& /*ctx*/, const Var& query,
                 const PreparedKeys& keys) const override {
    return DotScores(query, keys.keys, 1, keys.lengths);
  }

 private:
  Parameter& key_;
};

}  // namespace

std::unique_ptr<Score> MakeGeneralScore(const Scope& scope,
                                        const ScoreOptions& options) {
  return std::make_unique<GeneralScore>(scope, options);
}

}  // namespace heed
