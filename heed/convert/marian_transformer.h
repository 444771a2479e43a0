// Marian's Transformers in Heed's terms.
#ifndef HEED_CONVERT_MARIAN_TRANSFORMER_H_
#define HEED_CONVERT_MARIAN_TRANSFORMER_H_

#include <string_view>
#include <vector>

#include "heed/convert/import_options.h"
#include "heed/convert/layout.h"
#include "heed/convert/mapped_vocabulary.h"
#include "heed/models/transformer/transformer_config.h"

namespace heed {

/// How Marian writes matrices and norms.
inline constexpr Layout kMarianLayout = {"W", "b", "scale", "bias", false};

struct MarianTransformer {
  TransformerConfig config;
  /// Marian's gelu is x σ(1.702 x) up to version 1.12.0: a swish whose argument
  /// is scaled.
  bool scaled_swish = false;
  bool output_bias = true;
  /// Whether attention has a product behind it.
  bool projects = true;
  /// Of each layer of the decoder the number, from 0, under which its weights
  /// are saved, which several may share; empty: its own.
  std::vector<int> tied_layers;

  /// The number, from 1, in the names of a layer's weights.
  int Number(std::string_view side, int layer) const;
  /// The first layer with the same weights.
  int Origin(std::string_view side, int layer) const;
};

/// Throws: FormatError that names an option that Heed cannot do.
MarianTransformer ReadMarianTransformer(ImportOptions& options,
                                        const SourceWeights& weights,
                                        Notes& notes);

/// The layers, norms and positions. Tables of tokens are the caller's.
void FillMarianTransformer(const MarianTransformer& marian,
                           WeightReader& reader);

}  // namespace heed

#endif  // HEED_CONVERT_MARIAN_TRANSFORMER_H_
