// Sums over many elements, f32 and f64.
//
// The order of summation depends only on sizes, so results do not depend on the
// number of threads.
#ifndef HEED_KERNELS_REDUCE_H_
#define HEED_KERNELS_REDUCE_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// sums[c] += sum_r x[r, c]. Shapes: sums [C], x [R, C], rows may be apart.
void ColumnSumTo(Tensor& sums, const Tensor& x);

/// Sum of all elements, accumulated in double.
double Sum(const Tensor& x);
/// Sum of the squares of all elements, accumulated in double.
double SumSquares(const Tensor& x);
/// False if any element of f32, f64 or bf16 is infinite or NaN.
bool AllFinite(const Tensor& x);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_REDUCE_H_
