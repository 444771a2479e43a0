// Weights of attention that no Attention computes, as an observer gets them.
#ifndef HEED_ATTENTION_SHOWN_WEIGHTS_H_
#define HEED_ATTENTION_SHOWN_WEIGHTS_H_

#include <utility>

#include "heed/autograd/observer.h"
#include "heed/ops/shape.h"

namespace heed {

/// Shows an observer who wants them what `weights()` gives, of one head and
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
