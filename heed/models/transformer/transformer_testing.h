// Helpers of Transformer tests.
#ifndef HEED_MODELS_TRANSFORMER_TRANSFORMER_TESTING_H_
#define HEED_MODELS_TRANSFORMER_TRANSFORMER_TESTING_H_

#include "heed/models/model_testing.h"
#include "heed/models/transformer/transformer.h"

namespace heed {

/// Transformer small enough for numerical differentiation.
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

inline ResolvedTransformer Resolved(const TransformerConfig& config) {
  return config.Resolve("transformer");
}

/// BERT with one layer.
inline ResolvedTransformer SmallBert() {
  TransformerConfig config;
  config.layers = 1;
  config.width = 6;
  config.ff = 8;
  config.heads = 2;
  config.max_positions = 7;
  config.init_scale = 0.5;
  return config.Resolve("bert-tiny");
}

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_TRANSFORMER_TESTING_H_
