#include "heed/ops/shape.h"

#include <utility>
#include <vector>

#include "heed/kernels/elementwise.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

/// The shape with a last dimension of 1. Throws: ShapeError for a scalar.
Shape OneColumn(const char* op, const Var& x) {
  CheckShapes(x.shape().rank() > 0, op, "a scalar, which has no columns", {});
  Shape shape = x.shape();
  shape.Set(-1, 1);
  return shape;
}

}  // namespace

Var Reshape(const Var& x, const Shape& shape) {
  return Record("reshape", x.value().Contiguous().Reshape(shape), {x},
                [from = x.shape()](const Tensor& dy, Grads& g) {
                  g.Add(0, dy.Reshape(from));
                });
}

Var Slice(const Var& x, int64_t begin, int64_t end) {
  return Record("slice", x.value().Slice(begin, end), {x},
                [begin, end](const Tensor& dy, Grads& g) {
                  Tensor part = g.Accumulate(0).Slice(begin, end);
                  kernels::AddTo(part, dy);
                });
}

Var Select(const Var& x, int64_t i) {
  return Record("select", x.value()[i], {x}, [i](const Tensor& dy, Grads& g) {
    Tensor part = g.Accumulate(0)[i];
    kernels::AddTo(part, dy);
  });
}

Var Columns(const Var& x, int64_t begin, int64_t end) {
  Var part = Record("columns", x.value().Columns(begin, end), {x},
                    [begin, end](const Tensor& dy, Grads& g) {
                      Tensor sum = g.Accumulate(0).Columns(begin, end);
                      kernels::AddTo(sum, dy);
                    });
  if (part.tape() != nullptr) part.tape()->SetColumnsOf(part, x, begin);
  return part;
}

Var ConcatColumns(std::span<const Var> parts) {
  CheckShapes(!parts.empty(), "concat columns", "no parts", {});
  std::vector<Tensor> values;
  std::vector<int64_t> widths;
  for (const Var& part : parts) {
    CheckShapes(OneColumn("concat columns", part) ==
                    OneColumn("concat columns", parts[0]),
                "concat columns",
                "parts that differ in more than their columns",
                {parts[0].shape(), part.shape()});
    values.push_back(part.value());
    widths.push_back(values.back().cols());
  }
  return Record("concat columns", kernels::ConcatColumns(values), parts,
                [widths = std::move(widths)](const Tensor& dy, Grads& g) {
                  int64_t begin = 0;
                  for (size_t i = 0; i < widths.size(); ++i) {
                    const int64_t end = begin + widths[i];
                    g.Add(static_cast<int>(i), dy.Columns(begin, end));
                    begin = end;
                  }
                });
}

Var ConcatColumns(std::initializer_list<Var> parts) {
  return ConcatColumns(std::span<const Var>(parts.begin(), parts.size()));
}

Var Stack(std::span<const Var> parts) {
  CheckShapes(!parts.empty(), "stack", "no parts", {});
  Shape shape = {static_cast<int64_t>(parts.size())};
  for (int axis = 0; axis < parts[0].shape().rank(); ++axis) {
    shape.Append(parts[0].dim(axis));
  }
  Tensor y(shape, parts[0].value().dtype());
  for (size_t i = 0; i < parts.size(); ++i) {
    CheckSame("stack", parts[0], parts[i]);
    y[static_cast<int64_t>(i)].CopyFrom(parts[i].value());
  }
  return Record("stack", y, parts,
                [n = parts.size()](const Tensor& dy, Grads& g) {
                  for (size_t i = 0; i < n; ++i) {
                    g.Add(static_cast<int>(i), dy[static_cast<int64_t>(i)]);
                  }
                });
}

Var TransposeLeading(const Var& x) {
  CheckShapes(x.shape().rank() == 3, "transpose", "not three dimensions",
              {x.shape()});
  return Record("transpose", kernels::TransposeLeading(x.value().Contiguous()),
                {x}, [](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::TransposeLeading(dy));
                });
}

Var ReverseByLength(const Var& x, const Tensor& lengths) {
  CheckShapes(x.shape().rank() == 3 && lengths.defined(), "reverse",
              "not three dimensions with lengths", {x.shape()});
  CheckLengths("reverse", lengths, x.dim(1), x.dim(0));
  return Record("reverse",
                kernels::ReverseByLength(x.value().Contiguous(), lengths), {x},
                [lengths](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::ReverseByLength(dy, lengths));
                });
}

}  // namespace heed
