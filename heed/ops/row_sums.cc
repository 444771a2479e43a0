#include "heed/ops/row_sums.h"

#include "heed/ops/matmul.h"

namespace heed {

Var RowSums(const Var& x) {
  return MatMul(x, Var(Tensor::Full({x.dim(1), 1}, 1, x.value().dtype())));
}

}  // namespace heed
