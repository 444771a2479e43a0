#include "heed/attention/score.h"

#include <cassert>

namespace heed {

Var Score::PrepareKeys(const Context& /*ctx*/, const Var& keys) const {
  return keys;
}

Var Score::PrepareQuery(const Context& /*ctx*/, const Var& query,
                        int64_t /*batch*/) const {
  return query;
}

Var Score::KeysAfter(const Context& /*ctx*/, const Var& keys,
                     const Var& /*history*/) const {
  assert(!uses_history());
  return keys;
}

std::optional<FusedScore> Score::Fused(const Context& /*ctx*/,
                                       DType /*dtype*/) const {
  return std::nullopt;
}

int64_t Score::PreparedHeads(const AttentionSizes& sizes) const {
  return sizes.key_heads;
}

}  // namespace heed
