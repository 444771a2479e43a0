// Shared code of families of language models.
#ifndef HEED_CONVERT_FAMILIES_LANGUAGE_MODEL_H_
#define HEED_CONVERT_FAMILIES_LANGUAGE_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "heed/convert/convert.h"
#include "heed/convert/layout.h"
#include "heed/convert/source_weights.h"
#include "heed/models/transformer/transformer_config.h"

namespace heed {

/// A language model of another program: a Transformer without encoder.
struct LanguageModelSource {
  TransformerConfig config;
  int64_t rows = 0;  ///< of the embedding
  /// Names of the embedding, which also scores the next token.
  std::vector<std::string> embedding;
  /// Table of learned positions, and its first rows that stand for none.
  std::string positions;
  int64_t unused_positions = 0;
  std::vector<Part> parts;
  Layout layout;
};

/// Settings that all imported language models share: norms before each
/// sublayer and at the end, learned positions, scores by the embedding.
TransformerConfig PreNormLanguageModel();

/// Makes the model with the tokenizer of the folder and takes its weights.
/// Throws: IoError; FormatError.
Imported ImportLanguageModel(const std::string& folder, const std::string& file,
                             const LanguageModelSource& source,
                             SourceWeights& weights);

}  // namespace heed

#endif  // HEED_CONVERT_FAMILIES_LANGUAGE_MODEL_H_
