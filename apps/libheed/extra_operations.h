// Differentiable operations of heed.h that models of heed/ do not need.
#ifndef HEED_APPS_LIBHEED_EXTRA_OPERATIONS_H_
#define HEED_APPS_LIBHEED_EXTRA_OPERATIONS_H_

#include "heed/autograd/tape.h"

namespace heed::c {

/// Natural logarithm.
Var Logarithm(const Var& x);
Var SquareRoot(const Var& x);
/// a / b of equal shapes. Throws: ShapeError.
Var Quotient(const Var& a, const Var& b);

/// factor · x. Shapes: factor [] or [1]. Throws: ShapeError.
Var ScaleByNumber(const Var& x, const Var& factor);
/// Sum of each row. Shapes: x [..., N], result [...]. Throws: ShapeError.
Var SumOfRows(const Var& x);
/// x with its first two dimensions swapped. Shapes: x [A, B, ...]. Throws:
/// ShapeError.
Var SwapLeading(const Var& x);

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_EXTRA_OPERATIONS_H_
