#include "apps/libheed/extra_operations.h"

#include <cmath>

#include "heed/kernels/elementwise.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/row_sums.h"
#include "heed/ops/shape.h"

namespace heed::c {
namespace {

/// f(x, y) of dense tensors of equal shape and type.
template <typename F>
Tensor Map(const Tensor& x, const Tensor& y, const F& f) {
  Tensor result(x.shape(), x.dtype());
  const auto map = [&]<typename T>(T) {
    const T* from = x.data<T>();
    const T* with = y.data<T>();
    T* to = result.data<T>();
    for (int64_t i = 0; i < x.numel(); ++i) to[i] = f(from[i], with[i]);
  };
  if (x.dtype() == DType::kF64) {
    map(double{});
  } else {
    map(float{});
  }
  return result;
}

/// All dimensions of `x` but the last.
Shape Leading(const Shape& x) {
  Shape leading;
  for (int axis = 0; axis + 1 < x.rank(); ++axis) leading.Append(x[axis]);
  return leading;
}

int64_t WithoutRows(const char* op, const Var& x) {
  CheckShapes(x.shape().rank() >= 1, op, "a scalar, which has no rows",
              {x.shape()});
  return x.dim(-1);
}

}  // namespace

Var Logarithm(const Var& x) {
  const Tensor dense = x.value().Contiguous();
  return Record("log", kernels::Log(dense), {x},
                [dense](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::LogGrad(dy, dense));
                });
}

Var SquareRoot(const Var& x) {
  const Tensor dense = x.value().Contiguous();
  Tensor y = Map(dense, dense, [](auto a, auto) { return std::sqrt(a); });
  return Record("sqrt", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, Map(dy, y, [](auto d, auto root) { return d / (2 * root); }));
  });
}

Var Quotient(const Var& a, const Var& b) {
  CheckSame("div", a, b);
  const Tensor divisor = b.value().Contiguous();
  const auto divide = [](auto u, auto v) { return u / v; };
  Tensor y = Map(a.value().Contiguous(), divisor, divide);
  return Record("div", y, {a, b},
                [y, divisor, divide](const Tensor& dy, Grads& g) {
                  const Tensor da = Map(dy, divisor, divide);
                  if (g.Needs(0)) g.Add(0, da);
                  if (g.Needs(1)) {
                    g.Add(1, kernels::Scale(kernels::Mul(da, y), -1));
                  }
                });
}

Var ScaleByNumber(const Var& x, const Var& factor) {
  CheckShapes(factor.value().numel() == 1, "scale_by",
              "a factor that is not one number", {factor.shape()});
  return ScaleBy(x, Reshape(factor, {1}));
}

Var SumOfRows(const Var& x) {
  const int64_t columns = WithoutRows("row_sums", x);
  const Shape leading = Leading(x.shape());
  return Reshape(RowSums(Reshape(x, {leading.numel(), columns})), leading);
}

Var SwapLeading(const Var& x) {
  const Shape& shape = x.shape();
  CheckShapes(shape.rank() >= 2, "transpose", "not two axes", {shape});
  Shape swapped = shape;
  swapped.Set(0, shape[1]);
  swapped.Set(1, shape[0]);
  int64_t rest = 1;
  for (int axis = 2; axis < shape.rank(); ++axis) rest *= shape[axis];
  return Reshape(TransposeLeading(Reshape(x, {shape[0], shape[1], rest})),
                 swapped);
}

}  // namespace heed::c
