// Log-probabilities of symbols that occur at several positions.
#ifndef HEED_OPS_GROUP_LOG_SUM_EXP_H_
#define HEED_OPS_GROUP_LOG_SUM_EXP_H_

#include <cstdint>

#include "heed/autograd/context.h"

namespace heed {

/// y_bc = log Σ_{s: groups_bs = c} exp(x_bs), −infinity for an empty group;
/// positions with group −1 belong to none. For scores x, softmax(y) is the
/// total attention to each group. Shapes: x [B, S], groups i32 [B, S] of −1 to
/// C − 1, result [B, C]. Throws: ShapeError. Paper: Kadlec et al. 2016,
/// arXiv:1603.01547, equation 2.
Var GroupLogSumExp(const Var& x, const Tensor& groups, int64_t C);

}  // namespace heed

#endif  // HEED_OPS_GROUP_LOG_SUM_EXP_H_
