#include "heed/attention/modifier.h"

#include <cassert>

#include "heed/ops/heads.h"
#include "heed/ops/shape.h"

namespace heed {

Var AttentionSite::PerRow(const Var& x) const {
  const bool shared = x.dim(2) == 1;
  const Var split = SplitHeads(x, shared ? 1 : heads, shared ? heads : 1);
  return Reshape(split, {batch * heads, queries});
}

Var Modifier::Query(const AttentionSite& /*site*/, const Var& query) const {
  return query;
}

Var Modifier::Keys(const Context& /*ctx*/, const Var& keys, int64_t /*heads*/,
                   int64_t /*offset*/) const {
  return keys;
}

void Modifier::TurnRows(int64_t /*steps*/, int64_t /*features*/,
                        int64_t /*offset*/, Tensor& /*x*/) const {
  assert(!steps());
}

std::vector<ScoreStep> Modifier::Steps(const AttentionSite& /*site*/) const {
  return {};
}

Var Modifier::Scores(const AttentionSite& /*site*/, const Var& scores) const {
  return scores;
}

Var Modifier::Weights(const AttentionSite& /*site*/, const Var& weights) const {
  return weights;
}

}  // namespace heed
