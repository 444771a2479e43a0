// Configuration of Transformers.
#ifndef HEED_MODELS_TRANSFORMER_CONFIG_H_
#define HEED_MODELS_TRANSFORMER_CONFIG_H_

#include <string>

#include "heed/base/config.h"
#include "heed/nn/transformer.h"

namespace heed {

/// Every choice of a Transformer. "auto", 0 and a negative rate mean what the
/// named model does; Resolve replaces them.
struct TransformerConfig {
  int layers = 0;
  int decoder_layers = 0;
  int width = 0;
  int ff = 0;
  int heads = 0;
  int key_heads = 0;
  std::string norm = "auto";
  std::string final_norm = "auto";
  std::string activation = "auto";

  std::string position = "auto";
  int max_positions = 0;
  std::string tie = "auto";
  std::string embedding_scale = "auto";
  std::string embedding_norm = "auto";
  int segments = 0;
  bool output_bias = true;

  std::string score = "scaled_dot";
  std::string modifiers = "none";
  std::string attention_mask = "none";
  std::string normalizer = "softmax";
  bool attention_bias = true;
  /// Of the attention that says where a word comes from; -1: the last layer,
  /// and all heads in the mean.
  int alignment_layer = -1;
  int alignment_head = -1;

  double dropout = -1;
  double attention_dropout = -1;
  double activation_dropout = -1;
  double epsilon = 0;
  std::string init = "auto";
  double init_scale = 0.02;
  std::string precision = "f32";

  void Visit(FieldList& v);
  /// The same without the settings that only a decoder has.
  void VisitEncoder(FieldList& v);

  /// Replaces every "auto", 0 and negative rate by what `model` of the registry
  /// does, and checks that the choices fit together. Throws: ConfigError.
  void Resolve(const std::string& model);

 private:
  void VisitParts(FieldList& v, bool decoder);
};

/// A stack of an encoder (`layers`, everybody sees everybody) as a resolved
/// config says. Callers change what they need otherwise.
TransformerOptions StackOptions(const TransformerConfig& config);

/// How the weights of matrices and of embeddings start.
Init MatrixInit(const TransformerConfig& config);
Init EmbeddingInit(const TransformerConfig& config);

/// "f32" or "bf16", which needs a processor that has it.
kernels::Precision ParsePrecision(const std::string& precision);

}  // namespace heed

#endif  // HEED_MODELS_TRANSFORMER_CONFIG_H_
