// What the tests of Transformers share.
#ifndef HEED_MODELS_TRANSFORMER_TESTING_H_
#define HEED_MODELS_TRANSFORMER_TESTING_H_

#include <string>
#include <vector>

#include "heed/autograd/testing.h"
#include "heed/kernels/optimizer.h"
#include "heed/models/transformer.h"

namespace heed {

/// A Transformer small enough to be checked number by number.
inline TransformerConfig SmallTransformer() {
  TransformerConfig config;
  config.layers = 2;
  config.decoder_layers = 1;
  config.width = 8;
  config.ff = 12;
  config.heads = 2;
  config.max_positions = 16;
  config.dropout = 0;
  return config;
}

inline TransformerConfig Resolved(TransformerConfig config) {
  config.Resolve("transformer");
  return config;
}

inline Tensor RandomIds(const Shape& shape, int words, uint64_t seed) {
  Rng rng(seed);
  std::vector<int32_t> ids(static_cast<size_t>(shape.numel()));
  for (int32_t& id : ids)
    id = static_cast<int32_t>(rng.Below(static_cast<uint64_t>(words)));
  return Tensor::Of(ids, shape);
}

/// Adam over all parameters.
class Adam {
 public:
  explicit Adam(ParameterSet& parameters) : parameters_(parameters) {
    for (const auto& parameter : parameters_.all()) {
      const Tensor& value = parameter->value();
      m_.push_back(Tensor::Zeros(value.shape(), value.dtype()));
      v_.push_back(Tensor::Zeros(value.shape(), value.dtype()));
    }
  }

  void Step(double learning_rate) {
    kernels::AdamOptions options;
    options.learning_rate = learning_rate;
    options.step = ++step_;
    for (size_t i = 0; i < m_.size(); ++i) {
      Parameter& parameter = *parameters_.all()[i];
      kernels::AdamStep(parameter.mutable_value(), parameter.gradient(), m_[i],
                        v_[i], options);
      parameter.Changed();
      parameter.ClearGradient();
    }
  }

 private:
  ParameterSet& parameters_;
  std::vector<Tensor> m_;
  std::vector<Tensor> v_;
  int64_t step_ = 0;
};

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_TESTING_H_
