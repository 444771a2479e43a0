#include "heed/ops/shape.h"

#include <array>

#include "heed/kernels/elementwise.h"
#include "heed/ops/check.h"

namespace heed {
namespace {

/// Maximum number of parts, enough for every model; a fixed-size list needs no
/// allocation.
constexpr size_t kMaxParts = 8;

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
  CheckShapes(!parts.empty() && parts.size() <= kMaxParts, "concat columns",
              "not one to eight parts", {});
  std::array<Tensor, kMaxParts> values;
  std::array<int64_t, kMaxParts + 1> borders{};
  for (size_t i = 0; i < parts.size(); ++i) {
    CheckShapes(parts[i].value().rows() == parts[0].value().rows(),
                "concat columns", "parts with different rows",
                {parts[0].shape(), parts[i].shape()});
    values[i] = parts[i].value();
    borders[i + 1] = borders[i] + values[i].cols();
  }
  return Record("concat columns",
                kernels::ConcatColumns(std::span(values.data(), parts.size())),
                parts, [borders, n = parts.size()](const Tensor& dy, Grads& g) {
                  for (size_t i = 0; i < n; ++i) {
                    g.Add(static_cast<int>(i),
                          dy.Columns(borders[i], borders[i + 1]));
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
