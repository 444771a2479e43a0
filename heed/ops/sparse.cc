#include "heed/ops/sparse.h"

#include <utility>

#include "heed/ops/check.h"

namespace heed {

Var SparseMatMul(std::shared_ptr<const kernels::SparsePattern> pattern,
                 const Var& values, const Var& weight) {
  CheckShapes(weight.shape().rank() == 2 && weight.dim(0) == pattern->cols,
              "sparse matmul", "a weight without a row for each column",
              {{pattern->rows, pattern->cols}, weight.shape()});
  if (values.defined()) {
    CheckShapes(values.shape().rank() == 2 && values.dim(0) > 0 &&
                    values.dim(1) == pattern->entries() &&
                    weight.dim(1) % values.dim(0) == 0,
                "sparse matmul", "values that are not [G, E]",
                {values.shape(), {pattern->entries()}, weight.shape()});
    CheckDTypes("sparse matmul", values, weight);
  }
  const Tensor v =
      values.defined() ? values.value().Contiguous() : values.value();
  const Tensor& w = weight.value();
  Tensor y = kernels::SparseMultiply(*pattern, v, w);
  return Record(
      "sparse matmul", std::move(y), {values, weight},
      [pattern = std::move(pattern), v, w](const Tensor& dy, Grads& g) {
        if (g.Needs(0)) {
          g.Add(0, kernels::SparseValuesGrad(*pattern, v.dim(0), w, dy));
        }
        if (g.Needs(1)) {
          kernels::SparseMultiplyTransposedTo(g.Accumulate(1), *pattern, v, dy);
        }
      });
}

}  // namespace heed
