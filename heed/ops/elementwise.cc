#include "heed/ops/elementwise.h"

#include "heed/kernels/elementwise.h"
#include "heed/kernels/reduce.h"
#include "heed/ops/check.h"

namespace heed {

Var Tanh(const Var& x) {
  Tensor y = kernels::Tanh(x.value());
  return Record("tanh", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::TanhGrad(dy, y));
  });
}

Var Sigmoid(const Var& x) {
  Tensor y = kernels::Sigmoid(x.value());
  return Record("sigmoid", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::SigmoidGrad(dy, y));
  });
}

Var Relu(const Var& x) {
  Tensor y = kernels::Relu(x.value());
  return Record("relu", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::ReluGrad(dy, y));
  });
}

Var Exp(const Var& x) {
  Tensor y = kernels::Exp(x.value());
  return Record("exp", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::ExpGrad(dy, y));
  });
}

Var Add(const Var& a, const Var& b) {
  CheckSame("add", a, b);
  return Record("add", kernels::Add(a.value(), b.value()), {a, b},
                [](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  g.Add(1, dy);
                });
}

Var Sub(const Var& a, const Var& b) {
  CheckSame("sub", a, b);
  return Record("sub", kernels::Sub(a.value(), b.value()), {a, b},
                [](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  if (g.Needs(1)) g.Add(1, kernels::Scale(dy, -1));
                });
}

Var Mul(const Var& a, const Var& b) {
  CheckSame("mul", a, b);
  return Record("mul", kernels::Mul(a.value(), b.value()), {a, b},
                [a = a.value(), b = b.value()](const Tensor& dy, Grads& g) {
                  if (g.Needs(0)) g.Add(0, kernels::Mul(dy, b));
                  if (g.Needs(1)) g.Add(1, kernels::Mul(dy, a));
                });
}

Var Scale(const Var& x, double factor) {
  return Record("scale", kernels::Scale(x.value(), factor), {x},
                [factor](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::Scale(dy, factor));
                });
}

Var ScaleBy(const Var& x, const Var& factor) {
  CheckShapes(factor.value().numel() == 1, "scale by", "a factor that is not one number",
              {factor.shape()});
  const double f = factor.value().item();
  return Record("scale by", kernels::Scale(x.value(), f), {x, factor},
                [x = x.value(), f](const Tensor& dy, Grads& g) {
                  if (g.Needs(0)) g.Add(0, kernels::Scale(dy, f));
                  if (g.Needs(1)) {
                    const double df = kernels::Sum(kernels::Mul(dy, x));
                    g.Add(1, Tensor::Full({1}, df, dy.dtype()));
                  }
                });
}

Var AddPairs(const Var& q, const Var& k) {
  CheckShapes(q.shape().rank() == 3 && k.shape().rank() == 3 &&
                  q.dim(0) == k.dim(0) && q.dim(2) == k.dim(2),
              "add pairs", "operands that do not fit", {q.shape(), k.shape()});
  const int64_t b_size = q.dim(0);
  const int64_t t_size = q.dim(1);
  Tensor y({b_size, t_size, k.dim(1), k.dim(2)}, k.value().dtype());
  for (int64_t b = 0; b < b_size; ++b) {
    for (int64_t t = 0; t < t_size; ++t) {
      Tensor part = y[b][t];
      part.CopyFrom(k.value()[b]);
      kernels::AddRowTo(part, q.value()[b][t]);
    }
  }
  return Record("add pairs", y, {q, k},
                [b_size, t_size](const Tensor& dy, Grads& g) {
                  for (int64_t b = 0; b < b_size; ++b) {
                    for (int64_t t = 0; t < t_size; ++t) {
                      const Tensor part = dy[b][t];
                      if (g.Needs(0)) {
                        Tensor dq = g.Accumulate(0)[b][t];
                        kernels::ColumnSumTo(dq, part);
                      }
                      if (g.Needs(1)) {
                        Tensor dk = g.Accumulate(1)[b];
                        kernels::AddTo(dk, part);
                      }
                    }
                  }
                });
}

Var AddRow(const Var& x, const Var& row) {
  CheckColumns("add row", x, row);
  return Record("add row", kernels::AddRow(x.value(), row.value()), {x, row},
                [](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  if (g.Needs(1)) kernels::ColumnSumTo(g.Accumulate(1), dy);
                });
}

Var Maxout(const Var& x) {
  if (x.value().cols() % 2 != 0) {
    throw ShapeError("maxout: an odd number of columns in " +
                     x.shape().ToString());
  }
  return Record("maxout", kernels::Maxout(x.value()), {x},
                [x = x.value()](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::MaxoutGrad(dy, x));
                });
}

Var Dropout(const Context& ctx, const Var& x, double rate) {
  if (!ctx.training || rate == 0) return x;
  return DropoutWithKey(x, rate, ctx.NextKey());
}

Var DropoutWithKey(const Var& x, double rate, uint64_t key) {
  return Record("dropout", kernels::Dropout(x.value(), rate, key), {x},
                [rate, key](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::Dropout(dy.Contiguous(), rate, key));
                });
}

Var Sum(const Var& x) {
  const Tensor& v = x.value();
  return Record("sum", Tensor::Full({}, kernels::Sum(v), v.dtype()), {x},
                [shape = v.shape()](const Tensor& dy, Grads& g) {
                  g.Add(0, Tensor::Full(shape, dy.item(), dy.dtype()));
                });
}

}  // namespace heed
