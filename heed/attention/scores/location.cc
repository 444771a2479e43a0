// e_s = (W q)_s: positions are scored from the decoder's state alone, not from
// the keys. Of sources with more positions than W has rows, only the first part
// is attended to. Heads share W. Paper: Luong et al. 2015, arXiv:1508.04025,
// eq. 8.
#include <limits>

#include "heed/attention/scores/scores.h"
#include "heed/ops/matmul.h"
#include "heed/ops/shape.h"

namespace heed {
namespace {

class LocationScore : public Score {
 public:
  LocationScore(const Scope& scope, const AttentionSizes& n,
                std::span<const double> /*arguments*/)
      : positions_(n.positions),
        weight_(scope.Add("position.weight", {n.query, n.positions}, n.init)) {}

  Var Scores(const Context& ctx, const Var& query,
             const Var& keys) const override {
    const Var scores = MatMul(query, ctx.Use(weight_));
    const int64_t length = keys.dim(1);
    if (length <= positions_) return Columns(scores, 0, length);
    const Tensor beyond = Tensor::Full(
        {query.dim(0), query.dim(1), length - positions_},
        -std::numeric_limits<double>::infinity(), query.value().dtype());
    return ConcatColumns({scores, beyond});
  }

 private:
  int64_t positions_;
  Parameter& weight_;
};

}  // namespace

ScoreInfo LocationInfo() {
  return {.name = "location",
          .formula = "(W q)_s",
          .source = "Luong et al. 2015, arXiv:1508.04025",
          .arguments = {},
          .make = MakeScore<LocationScore>};
}

}  // namespace heed
