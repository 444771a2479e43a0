#include "heed/ops/elementwise.h"

#include "heed/kernels/elementwise.h"
#include "heed/kernels/reduce.h"
#include "heed/ops/check.h"

namespace heed {

Var Tanh(const Var& x) {
  Tensor y = kernels::Tanh(x.value().Contiguous());
  return Record("tanh", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::TanhGrad(dy, y));
  });
}

Var Sigmoid(const Var& x) {
  Tensor y = kernels::Sigmoid(x.value().Contiguous());
  return Record("sigmoid", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::SigmoidGrad(dy, y));
  });
}

Var Relu(const Var& x) {
  Tensor y = kernels::Relu(x.value().Contiguous());
  return Record("relu", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::ReluGrad(dy, y));
  });
}

Var Elu(const Var& x, double alpha) {
  Tensor y = kernels::Elu(x.value().Contiguous(), alpha);
  return Record("elu", y, {x}, [y, alpha](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::EluGrad(dy, y, alpha));
  });
}

Var Exp(const Var& x) {
  Tensor y = kernels::Exp(x.value().Contiguous());
  return Record("exp", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::ExpGrad(dy, y));
  });
}

Var Add(const Var& a, const Var& b) {
  CheckSame("add", a, b);
  return Record("add",
                kernels::Add(a.value().Contiguous(), b.value().Contiguous()),
                {a, b}, [](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  g.Add(1, dy);
                });
}

Var Sub(const Var& a, const Var& b) {
  CheckSame("sub", a, b);
  return Record("sub",
                kernels::Sub(a.value().Contiguous(), b.value().Contiguous()),
                {a, b}, [](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  if (g.Needs(1)) g.Add(1, kernels::Scale(dy, -1));
                });
}

Var Mul(const Var& a, const Var& b) {
  CheckSame("mul", a, b);
  const Tensor u = a.value().Contiguous();
  const Tensor v = b.value().Contiguous();
  return Record("mul", kernels::Mul(u, v), {a, b},
                [u, v](const Tensor& dy, Grads& g) {
                  if (g.Needs(0)) g.Add(0, kernels::Mul(dy, v));
                  if (g.Needs(1)) g.Add(1, kernels::Mul(dy, u));
                });
}

Var Scale(const Var& x, double factor) {
  return Record("scale", kernels::Scale(x.value().Contiguous(), factor), {x},
                [factor](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::Scale(dy, factor));
                });
}

Var AddScalar(const Var& x, double number) {
  return Record("add scalar",
                kernels::AddScalar(x.value().Contiguous(), number), {x},
                [](const Tensor& dy, Grads& g) { g.Add(0, dy); });
}

Var ScaleBy(const Var& x, const Var& factor) {
  CheckShapes(factor.value().numel() == 1, "scale by",
              "a factor that is not one number", {factor.shape()});
  const double f = factor.value().item();
  const Tensor dense = x.value().Contiguous();
  return Record("scale by", kernels::Scale(dense, f), {x, factor},
                [x = dense, f](const Tensor& dy, Grads& g) {
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
  return Record("add row", kernels::AddRow(x.value().Contiguous(), row.value()),
                {x, row}, [](const Tensor& dy, Grads& g) {
                  g.Add(0, dy);
                  if (g.Needs(1)) kernels::ColumnSumTo(g.Accumulate(1), dy);
                });
}

Var Maxout(const Var& x) {
  if (x.value().cols() % 2 != 0) {
    throw ShapeError("maxout: an odd number of columns in " +
                     x.shape().ToString());
  }
  const Tensor dense = x.value().Contiguous();
  return Record("maxout", kernels::Maxout(dense), {x},
                [x = dense](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::MaxoutGrad(dy, x));
                });
}

kernels::DropoutKey NextDropout(const Context& ctx, double rate) {
  if (!ctx.training || rate == 0) return {};
  return {rate, ctx.NextKey()};
}

Var Dropout(const Context& ctx, const Var& x, double rate) {
  const kernels::DropoutKey drop = NextDropout(ctx, rate);
  if (drop.rate == 0) return x;
  return Record("dropout",
                kernels::Dropout(x.value().Contiguous(), drop.rate, drop.key),
                {x}, [drop](const Tensor& dy, Grads& g) {
                  g.Add(0, kernels::Dropout(dy, drop.rate, drop.key));
                });
}

namespace {

Tensor DropSteps(const Tensor& x, double rate, uint64_t key) {
  Tensor y(x.shape(), x.dtype());
  for (int64_t t = 0; t < x.dim(0); ++t) {
    y[t].CopyFrom(kernels::Dropout(x[t], rate, key));
  }
  return y;
}

}  // namespace

Var StepDropout(const Context& ctx, const Var& x, double rate) {
  if (!ctx.training || rate == 0) return x;
  return StepDropoutWithKey(x, rate, ctx.NextKey());
}

Var StepDropoutWithKey(const Var& x, double rate, uint64_t key) {
  if (rate == 0) return x;
  return Record("step dropout", DropSteps(x.value().Contiguous(), rate, key),
                {x}, [rate, key](const Tensor& dy, Grads& g) {
                  g.Add(0, DropSteps(dy, rate, key));
                });
}

Var Sum(const Var& x) {
  const Tensor v = x.value().Contiguous();
  return Record("sum", Tensor::Full({}, kernels::Sum(v), v.dtype()), {x},
                [shape = v.shape()](const Tensor& dy, Grads& g) {
                  g.Add(0, Tensor::Full(shape, dy.item(), dy.dtype()));
                });
}

}  // namespace heed
