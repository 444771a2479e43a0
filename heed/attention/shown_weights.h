// Reports weights to an observer that no Attention computes.
#ifndef HEED_ATTENTION_SHOWN_WEIGHTS_H_
#define HEED_ATTENTION_SHOWN_WEIGHTS_H_

#include <utility>

#include "heed/autograd/observer.h"
#include "heed/ops/shape.h"

namespace heed {

/// Passes `weights()` to an observer that requests them, as one head and
/// without parts. Shapes: weights [B, T, S].
template <typename Weights>
void ShowWeights(const Context& ctx, AttentionInfo info, Weights&& weights) {
  info.parts = false;
  if (ctx.observer == nullptr || !ctx.observer->Wants(info).any()) return;
  const Var w = weights();
  ctx.observer->OnAttention({info, 0,
                             Reshape(w, {w.dim(0), 1, w.dim(1), w.dim(2)}),
                             nullptr, nullptr});
}

}  // namespace heed

#endif  // HEED_ATTENTION_SHOWN_WEIGHTS_H_
