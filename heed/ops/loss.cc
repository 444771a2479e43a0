#include "heed/ops/loss.h"

#include <cmath>
#include <utility>
#include <vector>

#include "heed/kernels/elementwise.h"
#include "heed/kernels/rowwise.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/score_modifiers.h"

namespace heed {
namespace {

/// Adds the loss of weights [B, H, t, S], which start at step `first` of
/// `links`, to `sum`; returns the gradient of scale · sum.
template <typename T>
Tensor AlignmentPart(const Tensor& weights, const Tensor& links, int64_t first,
                     int64_t head, double scale, double& sum) {
  constexpr double kEpsilon = 1e-6;
  const int64_t H = weights.dim(1);
  const int64_t begin = head < 0 ? 0 : head;
  const int64_t end = head < 0 ? H : head + 1;
  const double share = 1 / static_cast<double>(end - begin);
  Tensor gradient = Tensor::Zeros(weights.shape(), weights.dtype());
  for (int64_t b = 0; b < weights.dim(0); ++b) {
    for (int64_t t = 0; t < weights.dim(2); ++t) {
      const T* link = links[b].template row<T>(first + t);
      for (int64_t s = 0; s < weights.dim(3); ++s) {
        if (link[s] == 0) continue;
        double a = 0;
        for (int64_t h = begin; h < end; ++h) {
          a += share * double{weights[b][h].template row<T>(t)[s]};
        }
        sum -= double{link[s]} * std::log(a + kEpsilon);
        const double slope = -scale * double{link[s]} * share / (a + kEpsilon);
        for (int64_t h = begin; h < end; ++h) {
          Tensor rows = gradient[b][h];
          rows.template row<T>(t)[s] = static_cast<T>(slope);
        }
      }
    }
  }
  return gradient;
}

/// scale · Σ of the value of `penalty` for y − target; `penalty` also returns
/// the slope.
template <typename Penalty>
Var ErrorLoss(const char* name, const Var& y, const Tensor& targets,
              double scale, const Penalty& penalty) {
  CheckSame(name, y, targets);
  const auto run = [&]<typename T>(T) {
    const Tensor values = y.value().Contiguous();
    const Tensor wanted = targets.Contiguous();
    Tensor gradient(values.shape(), values.dtype());
    double sum = 0;
    for (int64_t i = 0; i < values.numel(); ++i) {
      const double error =
          double{values.data<T>()[i]} - double{wanted.data<T>()[i]};
      const auto [value, slope] = penalty(error);
      sum += value;
      gradient.data<T>()[i] = static_cast<T>(scale * slope);
    }
    return Record(name, Tensor::Full({}, scale * sum, values.dtype()), {y},
                  [gradient](const Tensor& dy, Grads& g) {
                    g.Add(0, kernels::Scale(gradient, dy.item()));
                  });
  };
  return targets.dtype() == DType::kF64 ? run(double{}) : run(float{});
}

}  // namespace

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

Var AbsoluteLoss(const Var& y, const Tensor& targets, double scale) {
  return ErrorLoss("absolute loss", y, targets, scale, [](double e) {
    return std::pair(std::abs(e), e > 0 ? 1.0 : e < 0 ? -1.0 : 0.0);
  });
}

Var HuberLoss(const Var& y, const Tensor& targets, double delta, double scale) {
  return ErrorLoss("huber loss", y, targets, scale, [delta](double e) {
    if (std::abs(e) <= delta) return std::pair(e * e, 2 * e);
    return std::pair(delta * (2 * std::abs(e) - delta),
                     2 * std::copysign(delta, e));
  });
}

Var AlignmentCrossEntropy(std::span<const Var> weights, const Tensor& links,
                          int64_t head, double scale) {
  CheckShapes(links.rank() == 3 && !weights.empty(), "alignment cross entropy",
              "no weights, or links that are not [B, T, S]", {links.shape()});
  const int64_t B = links.dim(0);
  const int64_t S = links.dim(2);
  int64_t steps = 0;
  for (const Var& part : weights) {
    CheckShapes(part.shape().rank() == 4 && part.dim(0) == B &&
                    part.dim(3) == S && head < part.dim(1) &&
                    part.value().dtype() == links.dtype(),
                "alignment cross entropy", "weights and links that do not fit",
                {part.shape(), links.shape()});
    steps += part.dim(2);
  }
  CheckShapes(steps == links.dim(1), "alignment cross entropy",
              "other steps than links", {links.shape()});
  const auto run = [&]<typename T>(T) {
    double sum = 0;
    std::vector<Tensor> gradients;
    int64_t first = 0;
    for (const Var& part : weights) {
      gradients.push_back(AlignmentPart<T>(part.value().Contiguous(), links,
                                           first, head, scale, sum));
      first += part.dim(2);
    }
    return Record(
        "alignment cross entropy", Tensor::Full({}, scale * sum, links.dtype()),
        weights, [gradients](const Tensor& dy, Grads& g) {
          for (size_t i = 0; i < gradients.size(); ++i) {
            if (!g.Needs(static_cast<int>(i))) continue;
            g.Add(static_cast<int>(i), kernels::Scale(gradients[i], dy.item()));
          }
        });
  };
  return links.dtype() == DType::kF64 ? run(double{}) : run(float{});
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
