// e = β cos(q, k) with a learned key strength β > 0.
// Paper: Graves et al. 2014, arXiv:1410.5401, eq. 5 and 6.
#include <cmath>

#include "heed/attention/scores/scores.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/norm.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

/// Makes the cosine with a zero vector 0 instead of NaN.
constexpr double kEpsilon = 1e-8;
/// Initial β: a cosine lies in [-1, 1], which is too narrow for a sharp
/// softmax.
constexpr double kInitialStrength = 10;

class CosineScore : public ProductScore {
 public:
  CosineScore(const Scope& scope, const AttentionSizes& sizes,
              std::span<const double> /*arguments*/)
      : features_(sizes.key),
        log_strength_(
            scope.Add("log_strength", {1},
                      {Init::Kind::kConstant, std::log(kInitialStrength)})) {}

  Var PrepareKeys(const Context& /*ctx*/, const Var& keys) const override {
    return Normalize(keys);
  }
  Var PrepareQuery(const Context& ctx, const Var& query,
                   int64_t /*batch*/) const override {
    return ScaleBy(Normalize(query), Exp(ctx.Use(log_strength_)));
  }

 private:
  Var Normalize(const Var& x) const {
    if (x.dim(2) == features_) return NormalizeRows(x, kEpsilon);
    const Var heads = Reshape(x, {x.value().numel() / features_, features_});
    return Reshape(NormalizeRows(heads, kEpsilon), x.shape());
  }

  int64_t features_;
  Parameter& log_strength_;
};

}  // namespace

ScoreInfo CosineInfo() {
  return {.name = "cosine",
          .formula = "β cos(q, k)",
          .source = "Graves et al. 2014, arXiv:1410.5401",
          .equal_sizes = true,
          .arguments = {},
          .make = MakeScore<CosineScore>};
}

}  // namespace heed
