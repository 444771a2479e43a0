// e_s = (W q)_s: where to look depends on the decoder's state alone, not on
// what stands there. Sources longer than W has rows are attended in their
// first part only.
// Paper: Luong et al. 2015, arXiv:1508.04025, eq. 9.
#include <algorithm>

#include "heed/attention/scores/scores.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class LocationScore : public Score {
 public:
  LocationScore(const Scope& scope, const ScoreOptions& o)
      : positions_(o.positions),
        weight_(scope.Add("position.weight", {o.query, o.positions}, o.init)) {}

  PreparedKeys Prepare(const Context& /*ctx*/, const Var& keys,
                       const Tensor& lengths) const override {
    Tensor seen({keys.dim(0)}, DType::kI32);
    for (int64_t b = 0; b < keys.dim(0); ++b) {
      const int64_t length =
          lengths.defined() ? lengths.data<int32_t>()[b] : keys.dim(1);
      seen.data<int32_t>()[b] =
          static_cast<int32_t>(std::min(length, positions_));
    }
    return {keys, seen};
  }

  Var operator()(const Context& ctx, const Var& query,
                 const PreparedKeys& keys) const override {
    const Var scores = MatMul(query, ctx.Use(weight_));
    const int64_t length = keys.keys.dim(1);
    if (length <= positions_) return Columns(scores, 0, length);
    // Places that the mask excludes.
    const Tensor beyond =
        Tensor::Zeros({query.dim(0), query.dim(1), length - positions_},
                      query.value().dtype());
    return ConcatColumns({scores, beyond});
  }

 private:
  int64_t positions_;
  Parameter& weight_;
};

}  // namespace

std::unique_ptr<Score> MakeLocationScore(const Scope& scope,
                                         const ScoreOptions& options) {
  return std::make_unique<LocationScore>(scope, options);
}

}  // namespace heed
