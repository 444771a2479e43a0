// Differentiable products with sparse matrices.
#ifndef HEED_OPS_SPARSE_H_
#define HEED_OPS_SPARSE_H_

#include <memory>

#include "heed/autograd/context.h"
#include "heed/kernels/sparse.h"

namespace heed {

/// y = X W of a sparse X: y_r = Σ_e values_e W[columns_e], over the entries e
/// of row r. Groups of columns of W may have separate values, as heads with
/// separate dropout: column c uses those of group c / (M / G). Differentiable
/// with respect to W and values. Shapes: values [G, E] with G a divisor of M,
/// undefined: ones; weight [cols, M], result [rows, M]. Throws: ShapeError.
Var SparseMatMul(std::shared_ptr<const kernels::SparsePattern> pattern,
                 const Var& values, const Var& weight);

}  // namespace heed

#endif  // HEED_OPS_SPARSE_H_
