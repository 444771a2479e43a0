#include "heed/ops/loss.h"

#include <fmt/format.h>

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
  const int64_t columns = logits.dim(-1);
  for (int64_t i = 0; i < targets.numel(); ++i) {
    const int32_t id = targets.data<int32_t>()[i];
    if (id != options.ignore_id && (id < 0 || id >= columns)) {
      throw ShapeError(
          fmt::format("cross entropy: target {} of {} classes", id, columns));
    }
  }
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

}  // namespace heed
