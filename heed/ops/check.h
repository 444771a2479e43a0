// Shape checks that operations share; messages name the operation.
#ifndef HEED_OPS_CHECK_H_
#define HEED_OPS_CHECK_H_

#include <string_view>

#include "heed/autograd/tape.h"
#include "heed/base/errors.h"

namespace heed {

/// Throws ShapeError "op: MESSAGE" unless `holds`; `shapes` are appended.
void CheckShapes(bool holds, std::string_view op, std::string_view message,
                 std::initializer_list<Shape> shapes);
void CheckDTypes(std::string_view op, const Var& a, const Var& b);
/// Same shape and dtype.
void CheckSame(std::string_view op, const Var& a, const Var& b);
/// `row` is a vector as long as x has columns, of the same dtype.
void CheckColumns(std::string_view op, const Var& x, const Var& row);
/// `lengths` is undefined, or i32 [batch] of numbers from 0 to `limit`.
void CheckLengths(std::string_view op, const Tensor& lengths, int64_t batch,
                  int64_t limit);
/// `targets` are i32, each a class from 0 to `classes` - 1 or ignore_id.
void CheckTargets(std::string_view op, const Tensor& targets, int32_t ignore_id,
                  int64_t classes);

}  // namespace heed

#endif  // HEED_OPS_CHECK_H_
