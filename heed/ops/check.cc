#include "heed/ops/check.h"

#include <fmt/format.h>

#include <iterator>

namespace heed {

void CheckShapes(bool holds, std::string_view op, std::string_view message,
                 std::initializer_list<Shape> shapes) {
  if (holds) return;
  std::string text = fmt::format("{}: {}:", op, message);
  for (const Shape& shape : shapes)
    fmt::format_to(std::back_inserter(text), " {}", shape.ToString());
  throw ShapeError(text);
}

void CheckDTypes(std::string_view op, const Var& a, const Var& b) {
  if (a.value().dtype() == b.value().dtype()) return;
  throw ShapeError("{}: {} with {}", op, Name(a.value().dtype()),
                   Name(b.value().dtype()));
}

void CheckSame(std::string_view op, const Var& a, const Var& b) {
  CheckShapes(a.shape() == b.shape(), op, "operands of different shapes",
              {a.shape(), b.shape()});
  CheckDTypes(op, a, b);
}

void CheckColumns(std::string_view op, const Var& x, const Var& row) {
  CheckShapes(row.value().rank() == 1 && row.dim(0) == x.value().cols(), op,
              "a row that does not fit", {x.shape(), row.shape()});
  CheckDTypes(op, x, row);
}

void CheckLengths(std::string_view op, const Tensor& lengths, int64_t batch,
                  int64_t limit) {
  if (!lengths.defined()) return;
  CheckShapes(lengths.shape() == Shape{batch} && lengths.dtype() == DType::kI32,
              op, "lengths that are not i32 of the batch",
              {lengths.shape(), {batch}});
  for (int64_t b = 0; b < batch; ++b) {
    const int32_t length = lengths.data<int32_t>()[b];
    if (length < 0 || length > limit) {
      throw ShapeError("{}: length {} of {} positions", op, length, limit);
    }
  }
}

void CheckTargets(std::string_view op, const Tensor& targets, int32_t ignore_id,
                  int64_t classes) {
  CheckShapes(targets.dtype() == DType::kI32, op, "targets that are not i32",
              {targets.shape()});
  for (int64_t i = 0; i < targets.numel(); ++i) {
    const int32_t id = targets.data<int32_t>()[i];
    if (id != ignore_id && (id < 0 || id >= classes)) {
      throw ShapeError("{}: target {} of {} classes", op, id, classes);
    }
  }
}

}  // namespace heed
