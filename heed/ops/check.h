// Shape checks of operations; messages name the operation.
#ifndef HEED_OPS_CHECK_H_
#define HEED_OPS_CHECK_H_

#include <string_view>

#include "heed/autograd/tape.h"
#include "heed/base/errors.h"

namespace heed {

/// Throws ShapeError "op: MESSAGE", followed by `shapes`, unless `holds`.
void CheckShapes(bool holds, std::string_view op, std::string_view message,
                 std::initializer_list<Shape> shapes);
void CheckDTypes(std::string_view op, const Var& a, const Var& b);
/// Throws ShapeError unless a and b have equal shapes and dtypes.
void CheckSame(std::string_view op, const Var& a, const Var& b);
/// Throws ShapeError unless `row` is a vector with one element for each column
/// of x, of equal dtype.
void CheckColumns(std::string_view op, const Var& x, const Var& row);
/// Throws ShapeError unless `lengths` is undefined or i32 [batch] within [0,
/// limit].
void CheckLengths(std::string_view op, const Tensor& lengths, int64_t batch,
                  int64_t limit);
/// Throws ShapeError unless `targets` are i32, each a class within [0, classes
/// - 1] or ignore_id.
void CheckTargets(std::string_view op, const Tensor& targets, int32_t ignore_id,
                  int64_t classes);

}  // namespace heed

#endif  // HEED_OPS_CHECK_H_
