#include "heed/ops/normalizers.h"

#include <fmt/format.h>

#include <cmath>

#include "heed/kernels/attention.h"
#include "heed/kernels/normalizers.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

void CheckScores(std::string_view op, const Var& e) {
  CheckShapes(e.shape().rank() >= 1, op, "scores without a dimension of keys",
              {e.shape()});
  const DType dtype = e.value().dtype();
  if (dtype != DType::kF32 && dtype != DType::kF64) {
    throw ShapeError("{}: scores {} of {}; convert them to f32", op,
                     e.shape().ToString(), Name(dtype));
  }
}

void CheckBounded(std::string_view op, const Var& e) {
  const int64_t row = kernels::FirstUnboundedRow(e.value());
  if (row < 0) return;
  throw NumericError(
      "{}: row {} of scores {} has +infinity or NaN; lower the learning rate "
      "or scale the scores down",
      op, row, e.shape().ToString());
}

/// Records weights that are the softmax of e or 0.
Var RecordSoftmax(const char* name, const Var& e, const Tensor& weights) {
  return Record(name, weights, {e}, [a = weights](const Tensor& da, Grads& g) {
    g.Add(0, kernels::RowSoftmaxGrad(da, a));
  });
}

}  // namespace

Var MaskScores(const Var& e, const kernels::MaskRule* mask, int64_t heads,
               int64_t query_offset) {
  CheckScores("mask scores", e);
  CheckShapes(
      e.shape().rank() == 3 && heads >= 1 && e.dim(0) % heads == 0,
      "mask scores",
      fmt::format("scores that are not [batch * {} heads, T, S]", heads),
      {e.shape()});
  if (mask == nullptr) return e;
  Tensor y = kernels::MaskScores(e.value(), *mask, heads, query_offset);
  return Record("mask scores", y, {e}, [y](const Tensor& dy, Grads& g) {
    g.Add(0, kernels::MaskScoresGrad(dy, y));
  });
}

Var Softmax(const Var& e) {
  CheckScores("softmax", e);
  return RecordSoftmax("softmax", e, kernels::Softmax(e.value()));
}

Var SmoothedSigmoid(const Var& e) {
  CheckScores("smoothed sigmoid", e);
  Tensor a = kernels::SmoothedSigmoid(e.value());
  return Record("smoothed sigmoid", a, {e},
                [e = e.value(), a](const Tensor& da, Grads& g) {
                  g.Add(0, kernels::SmoothedSigmoidGrad(da, e, a));
                });
}

Var SigmoidGate(const Var& e) {
  CheckScores("sigmoid gate", e);
  return Sigmoid(e);
}

Var Sparsemax(const Var& e) {
  CheckScores("sparsemax", e);
  CheckBounded("sparsemax", e);
  Tensor a = kernels::Sparsemax(e.value());
  return Record("sparsemax", a, {e}, [a](const Tensor& da, Grads& g) {
    g.Add(0, kernels::SparsemaxGrad(da, a));
  });
}

Var Entmax15(const Var& e) {
  CheckScores("entmax", e);
  CheckBounded("entmax", e);
  Tensor a = kernels::Entmax15(e.value());
  return Record("entmax", a, {e}, [a](const Tensor& da, Grads& g) {
    g.Add(0, kernels::Entmax15Grad(da, a));
  });
}

Var TopKSoftmax(const Var& e, int64_t k) {
  CheckScores("top-k softmax", e);
  if (k < 1) {
    throw ConfigError("top-k softmax: a k of {}; give 1 or more", k);
  }
  return RecordSoftmax("top-k softmax", e,
                       kernels::Softmax(kernels::KeepTopK(e.value(), k)));
}

Var GumbelSoftmax(const Context& ctx, const Var& e, double temperature) {
  CheckScores("gumbel softmax", e);
  if (!(temperature > 0) || !std::isfinite(temperature)) {
    throw ConfigError(
        "gumbel softmax: a temperature of {}; give a number above "
        "0",
        temperature);
  }
  if (!ctx.training) return Softmax(e);
  const Var noisy =
      Add(e, kernels::GumbelNoise(e.shape(), ctx.NextKey(), e.value().dtype()));
  return StraightThrough(kernels::OneHotOfMaximum(noisy.value()),
                         Softmax(Scale(noisy, 1 / temperature)));
}

Var StraightThrough(const Tensor& hard, const Var& soft) {
  CheckSame("straight through", hard, soft);
  return Record("straight through", hard, {soft},
                [](const Tensor& dy, Grads& g) { g.Add(0, dy); });
}

HardSample SampleHard(const Context& ctx, const Var& e) {
  CheckScores("hard sample", e);
  const Tensor p = kernels::Softmax(e.value());
  const Tensor weights = kernels::SampleOneHot(p, ctx.NextKey());
  HardSample sample;
  sample.weights = weights;
  sample.log_probability =
      Record("log probability", kernels::LogProbability(p, weights), {e},
             [p, weights](const Tensor& dl, Grads& g) {
               g.Add(0, kernels::LogProbabilityGrad(dl, p, weights));
             });
  sample.entropy = Record("entropy", kernels::Entropy(p), {e},
                          [p](const Tensor& dh, Grads& g) {
                            g.Add(0, kernels::EntropyGrad(dh, p));
                          });
  return sample;
}

}  // namespace heed
