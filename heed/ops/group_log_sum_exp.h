// Log-probabilities of what stands at several places of a sequence.
#ifndef HEED_OPS_GROUP_LOG_SUM_EXP_H_
#define HEED_OPS_GROUP_LOG_SUM_EXP_H_

#include <cstdint>

#include "heed/autograd/context.h"

namespace heed {

/// y_bc = log Σ_{s: groups_bs = c} exp(x_bs), −infinity for a group without
/// places; a place of group −1 is in none. Of scores, softmax(y) is the
/// attention that all places of a group get together. Shapes: x [B, S], groups
/// i32 [B, S] of −1 to C − 1, result [B, C]. Throws: ShapeError.
/// Paper: Kadlec et al. 2016, arXiv:1603.01547, equation 2.
Var GroupLogSumExp(const Var& x, const Tensor& groups, int64_t C);

}  // namespace heed

#endif  // HEED_OPS_GROUP_LOG_SUM_EXP_H_
