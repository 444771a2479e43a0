#include "course/gradient_variance.h"

namespace heed {

std::vector<double> TakeGradient(
    const ParameterSet& parameters,
    const std::function<bool(const std::string&)>& counts) {
  std::vector<double> all;
  for (const auto& parameter : parameters.all()) {
    if (counts(parameter->name())) {
      const Tensor& gradient = parameter->gradient();
      // A parameter without a gradient counts as zero.
      const std::vector<double> own =
          gradient.defined() ? gradient.To(DType::kF64).ToVector<double>()
                             : std::vector<double>(static_cast<size_t>(
                                   parameter->value().numel()));
      all.insert(all.end(), own.begin(), own.end());
    }
    parameter->ClearGradient();
  }
  return all;
}

void GradientVariance::Add(const std::vector<double>& gradient) {
  sum_.resize(gradient.size());
  squares_.resize(gradient.size());
  for (size_t j = 0; j < gradient.size(); ++j) {
    sum_[j] += gradient[j];
    squares_[j] += gradient[j] * gradient[j];
  }
  ++count_;
}

double GradientVariance::Total() const {
  double variance = 0;
  for (size_t j = 0; j < sum_.size(); ++j) {
    variance += (squares_[j] - sum_[j] * sum_[j] / count_) / (count_ - 1);
  }
  return variance;
}

}  // namespace heed
