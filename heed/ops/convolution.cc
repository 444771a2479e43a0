#include "heed/ops/convolution.h"

#include "heed/kernels/convolution.h"
#include "heed/kernels/gemm.h"
#include "heed/ops/check.h"
#include "heed/ops/product.h"

namespace heed {
namespace {

Tensor AsMatrix(const Tensor& x) { return x.Reshape({x.rows(), x.cols()}); }

}  // namespace

// Product of the windows with the filters. The gradient recomputes the windows,
// which are W times as large as a.
Var ConvolveSame(const Var& a, const Var& filters) {
  CheckShapes(a.shape().rank() == 2 && filters.shape().rank() == 2 &&
                  filters.dim(1) % 2 == 1,
              "convolve same", "not [N, S] with filters of odd width",
              {a.shape(), filters.shape()});
  CheckShapes(a.value().dtype() == filters.value().dtype(), "convolve same",
              "operands of different dtypes", {a.shape(), filters.shape()});
  const int64_t width = filters.dim(1);
  const Factor factor(filters);
  Tensor y({a.dim(0), a.dim(1), filters.dim(0)}, a.value().dtype());
  kernels::PackedMatrix local;
  kernels::Multiply(kernels::Windows(a.value(), width),
                    factor.Packed(true, local), false, y);
  return Record("convolve same", std::move(y), {a, filters},
                [a = a.value(), factor, width](const Tensor& dy, Grads& g) {
                  if (g.Needs(0)) {
                    Tensor windows({a.dim(0), a.dim(1), width}, a.dtype());
                    kernels::PackedMatrix local;
                    kernels::Multiply(dy, factor.Packed(false, local), false,
                                      windows);
                    g.Add(0, kernels::WindowsGrad(windows));
                  }
                  if (g.Needs(1)) {
                    kernels::MultiplyTransposed(
                        AsMatrix(dy), AsMatrix(kernels::Windows(a, width)),
                        true, kernels::Precision::kNative, g.Accumulate(1));
                  }
                });
}

}  // namespace heed
