#include "heed/autograd/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/errors.h"
#include "heed/base/rng.h"

namespace heed {
namespace {

/// Balances the truncation error (h²) against rounding (ε / h) in f64.
constexpr double kStep = 1e-5;

void Compare(const std::string& what, int64_t element, double analytic,
             double numeric, GradientCheckResult& result) {
  if (!std::isfinite(analytic) || !std::isfinite(numeric)) {
    throw NumericError("gradient check: {} element {}: {} against {}", what,
                       element, analytic, numeric);
  }
  const double error = std::abs(analytic - numeric) /
                       std::max({1.0, std::abs(analytic), std::abs(numeric)});
  if (result.where.empty() || error > result.worst) {
    result.worst = error;
    result.where = fmt::format("{}, element {}: {} against {}", what, element,
                               analytic, numeric);
  }
}

/// Compares `gradient` (undefined = zero) with differences of `loss` when
/// elements of `x` change.
void CheckTensor(const std::string& what, Tensor& x, const Tensor& gradient,
                 int samples, const std::function<double()>& loss, Rng& rng,
                 GradientCheckResult& result) {
  const int64_t n = x.numel();
  for (int64_t s = 0; s < std::min<int64_t>(n, samples); ++s) {
    const int64_t i =
        n <= samples
            ? s
            : static_cast<int64_t>(rng.Below(static_cast<uint64_t>(n)));
    double& element = x.data<double>()[i];
    const double before = element;
    element = before + kStep;
    const double above = loss();
    element = before - kStep;
    const double below = loss();
    element = before;
    const double analytic = gradient.defined() ? gradient.data<double>()[i] : 0;
    Compare(what, i, analytic, (above - below) / (2 * kStep), result);
  }
}

double Dot(const Tensor& a, const Tensor& b) {
  const Tensor dense = a.Contiguous();
  double sum = 0;
  for (int64_t i = 0; i < a.numel(); ++i) {
    sum += dense.data<double>()[i] * b.data<double>()[i];
  }
  return sum;
}

}  // namespace

GradientCheckResult CheckGradient(
    const std::function<Var(std::span<const Var>)>& f,
    std::vector<Tensor> inputs, int samples) {
  Rng rng(7);
  Tape tape;
  std::vector<Var> leaves;
  for (const Tensor& input : inputs) leaves.push_back(tape.Leaf(input));
  const Var output = f(leaves);
  Tensor weights(output.shape(), DType::kF64);
  for (int64_t i = 0; i < weights.numel(); ++i) {
    weights.data<double>()[i] = rng.Normal();
  }
  tape.Backward(output, weights);
  std::vector<Tensor> gradients;
  for (const Var& leaf : leaves) {
    const Tensor g = tape.Gradient(leaf);
    gradients.push_back(g.defined() ? g.Clone() : g);
  }
  const auto loss = [&] {
    return Dot(f(std::vector<Var>(inputs.begin(), inputs.end())).value(),
               weights);
  };
  GradientCheckResult result;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].dtype() != DType::kF64) continue;
    CheckTensor(fmt::format("input {}", k), inputs[k], gradients[k], samples,
                loss, rng, result);
  }
  return result;
}

GradientCheckResult CheckParameterGradient(
    const std::function<Var(Tape*)>& loss,
    std::span<Parameter* const> parameters, int samples) {
  Rng rng(7);
  Tape tape;
  for (Parameter* p : parameters) p->ClearGradient();
  tape.Backward(loss(&tape));
  GradientCheckResult result;
  for (Parameter* p : parameters) {
    const Tensor gradient = p->gradient();
    const auto value = [&] {
      p->Changed();
      return loss(nullptr).value().item();
    };
    CheckTensor(p->name(), p->mutable_value(), gradient, samples, value, rng,
                result);
    p->Changed();
  }
  return result;
}

}  // namespace heed
