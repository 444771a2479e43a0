// Mixture of generated and copied tokens.
#ifndef HEED_OPS_COPY_SCORES_H_
#define HEED_OPS_COPY_SCORES_H_

#include "heed/autograd/context.h"

namespace heed {

/// Score of a token that is neither generated nor in the source.
inline constexpr double kNoCopy = -1e30;

/// log P(w) of V generated tokens and S temporary ones, V + s for position s of
/// the source:
///   P(w) = σ(g) softmax(z)_w + σ(−g) Σ_{s: ids_s = w} (a_s + 10⁻¹⁰)
/// The temporary tokens have no softmax. Without a position that copies it, the
/// score of a temporary token is kNoCopy. Shapes: logits z [..., V], gate g
/// [..., 1], weights a [..., S], ids i32 [..., S] from −1 (no copy) to V + S −
/// 1; result [..., V + S]. Throws: ShapeError. Paper: See et al. 2017,
/// arXiv:1704.04368, equation 9.
Var CopyScores(const Var& logits, const Var& gate, const Var& weights,
               const Tensor& ids);

}  // namespace heed

#endif  // HEED_OPS_COPY_SCORES_H_
