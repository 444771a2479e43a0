#include "heed/ops/matmul.h"

#include "heed/kernels/gather.h"
#include "heed/kernels/reduce.h"
#include "heed/ops/check.h"
#include "heed/ops/product.h"

namespace heed {

Var MatMul(const Var& x, const Var& weight) {
  CheckProduct(x, weight);
  return Record("matmul", Product(x, weight), {x, weight},
                ProductGrad(x, weight, 0, 1));
}

Var Affine(const Var& x, const Var& weight, const Var& bias) {
  CheckAffine("affine", x, weight, bias, /*transposed=*/false);
  return Record(
      "affine", Product(x, weight, bias.value()), {x, weight, bias},
      [grad = ProductGrad(x, weight, 0, 1)](const Tensor& dy, Grads& g) {
        grad(dy, g);
        if (g.Needs(2)) kernels::ColumnSumTo(g.Accumulate(2), dy);
      });
}

Var AffineTransposed(const Var& x, const Var& weight, const Var& bias) {
  CheckAffine("affine transposed", x, weight, bias, /*transposed=*/true);
  const Factor factor(weight);
  Shape shape = x.shape();
  shape.Set(-1, weight.dim(0));
  Tensor y(shape, x.value().dtype());
  MultiplyBy(x.value(), factor, true, {.bias = &bias.value()}, y);
  return Record("affine transposed", std::move(y), {x, weight, bias},
                [x = x.value(), factor](const Tensor& dy, Grads& g) {
                  if (g.Needs(0)) {
                    Tensor dx(x.shape(), x.dtype());
                    MultiplyBy(dy, factor, false, {}, dx);
                    g.Add(0, std::move(dx));
                  }
                  g.AddProduct(1, dy, x);
                  if (g.Needs(2)) kernels::ColumnSumTo(g.Accumulate(2), dy);
                });
}

Var MatMulAdd(Var base, const Var& x, const Var& weight) {
  CheckProduct(x, weight);
  CheckShapes(
      base.value().rows() == x.value().rows() && base.dim(-1) == weight.dim(1),
      "matmul add", "a sum that does not fit",
      {base.shape(), x.shape(), weight.shape()});
  const Operand base_operand(base);
  Tensor y = base.value();
  base = Var();
  if (!y.unique() || !y.contiguous()) y = y.Clone();
  MultiplyBy(x.value(), Factor(weight), false, {.accumulate = true}, y);
  return Record(
      "matmul add", std::move(y), {base_operand, x, weight},
      [grad = ProductGrad(x, weight, 1, 2)](const Tensor& dy, Grads& g) {
        g.Add(0, dy);
        grad(dy, g);
      });
}

Var Embed(const Var& table, const Tensor& ids) {
  const int64_t rows = table.dim(0);
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const int32_t id = ids.data<int32_t>()[i];
    if (id < 0 || id >= rows) {
      throw ShapeError("embedding: id {} in a table of {} rows", id, rows);
    }
  }
  const Parameter* parameter = table.parameter();
  return Record(
      "embedding",
      parameter != nullptr ? parameter->Rows(ids)
                           : kernels::Gather(table.value().Contiguous(), ids),
      {table}, [ids](const Tensor& dy, Grads& g) { g.AddRows(0, ids, dy); });
}

}  // namespace heed
