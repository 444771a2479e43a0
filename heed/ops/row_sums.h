// Sum of each row.
#ifndef HEED_OPS_ROW_SUMS_H_
#define HEED_OPS_ROW_SUMS_H_

#include "heed/autograd/context.h"

namespace heed {

/// y_b = Σ_n x_bn. Shapes: x [B, N], result [B, 1].
Var RowSums(const Var& x);

}  // namespace heed

#endif  // HEED_OPS_ROW_SUMS_H_
