#include "heed/ops/loss.h"

#include "heed/kernels/elementwise.h"
#include "heed/kernels/rowwise.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/score_modifiers.h"

namespace heed {

CrossEntropyLoss CrossEntropy(Var logits, const Tensor& targets,
                              const CrossEntropyOptions& options) {
  CheckShapes(
      logits.shape().rank() >= 1 && logits.value().rows() == targets.numel(),
      "cross entropy", "logits and targets that do not fit",
      {logits.shape(), targets.shape()});
  CheckTargets("cross entropy", targets, options.ignore_id, logits.dim(-1));
  const Operand operand(logits);
  Tensor values = logits.value().Contiguous();
  logits = Var();
  Tensor gradient;
  if (operand.tape != nullptr) {
    gradient =
        values.unique() ? values : Tensor(values.shape(), values.dtype());
  }
  const kernels::CrossEntropyResult result = kernels::CrossEntropy(
      values, targets, options.ignore_id, options.smoothing, options.scale,
      gradient.defined() ? &gradient : nullptr);
  CrossEntropyLoss loss;
  loss.nll = result.nll;
  loss.tokens = result.tokens;
  loss.correct = result.correct;
  loss.loss =
      Record("cross entropy",
             Tensor::Full({}, options.scale * result.loss, values.dtype()),
             {operand}, [gradient](const Tensor& dy, Grads& g) {
               const double d = dy.item();
               g.Add(0, d == 1 ? gradient : kernels::Scale(gradient, d));
             });
  return loss;
}

Var BinaryCrossEntropy(const Var& logits, const Tensor& targets, double scale) {
  CheckSame("binary cross entropy", logits, targets);
  // log(1 + e^x) − t x.
  return Scale(Sum(Sub(Softplus(logits), Mul(logits, targets))), scale);
}

Var LogSoftmax(const Var& x) {
  Tensor y = kernels::LogSoftmax(x.value().Contiguous());
  return Record("log softmax", y, {x}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::LogSoftmaxGrad(dy, y));
  });
}

Var Pick(const Var& x, const Tensor& columns) {
  CheckShapes(x.shape().rank() >= 1 && columns.dtype() == DType::kI32 &&
                  x.value().rows() == columns.numel(),
              "pick", "rows and columns that do not fit",
              {x.shape(), columns.shape()});
  constexpr int32_t kNoneIgnored = -1;
  CheckTargets("pick", columns, kNoneIgnored, x.dim(-1));
  Tensor y = Tensor::Zeros(columns.shape(), x.value().dtype());
  const auto for_each = [columns](DType dtype, auto&& fn) {
    for (int64_t r = 0; r < columns.numel(); ++r) {
      const int32_t column = columns.data<int32_t>()[r];
      if (column < 0) continue;
      dtype == DType::kF64 ? fn(double{}, r, column) : fn(float{}, r, column);
    }
  };
  for_each(y.dtype(), [&]<typename T>(T, int64_t r, int32_t column) {
    y.data<T>()[r] = x.value().row<T>(r)[column];
  });
  return Record("pick", y, {x},
                [for_each, shape = x.shape()](const Tensor& dy, Grads& g) {
                  Tensor dx = Tensor::Zeros(shape, dy.dtype());
                  for_each(dy.dtype(),
                           [&]<typename T>(T, int64_t r, int32_t column) {
                             dx.row<T>(r)[column] = dy.data<T>()[r];
                           });
                  g.Add(0, std::move(dx));
                });
}

}  // namespace heed
