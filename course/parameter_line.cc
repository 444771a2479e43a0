#include "course/parameter_line.h"

namespace heed {

std::vector<Tensor> ParametersOf(const ParameterSet& parameters) {
  std::vector<Tensor> all;
  for (const auto& parameter : parameters.all()) {
    all.push_back(parameter->value().Clone());
  }
  return all;
}

void PutBetween(ParameterSet& parameters, const std::vector<Tensor>& from,
                const std::vector<Tensor>& to, double at) {
  for (size_t p = 0; p < to.size(); ++p) {
    Parameter& parameter = *parameters.all()[p];
    const Tensor a = from[p].To(DType::kF64), b = to[p].To(DType::kF64);
    Tensor between = b.Clone();
    for (int64_t i = 0; i < b.numel(); ++i) {
      between.data<double>()[i] =
          (1 - at) * a.data<double>()[i] + at * b.data<double>()[i];
    }
    parameter.mutable_value().CopyFrom(between.To(to[p].dtype()));
    parameter.Changed();
  }
}

}  // namespace heed
