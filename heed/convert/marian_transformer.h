// Import of Marian's Transformers.
#ifndef HEED_CONVERT_MARIAN_TRANSFORMER_H_
#define HEED_CONVERT_MARIAN_TRANSFORMER_H_

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "heed/convert/import_options.h"
#include "heed/convert/layout.h"
#include "heed/convert/mapped_vocabulary.h"
#include "heed/models/transformer/transformer_config.h"

namespace heed {

/// Marian's names and layout of matrices and norms.
inline constexpr Layout kMarianLayout = {"W", "b", "scale", "bias", false};
/// Suffix of the multiplier of activations of an int8 matrix.
inline constexpr const char* kMarianActivations = "_QuantMultA";

/// Array of a model with its settings: text with a terminating zero.
inline constexpr const char* kMarianOptions = "special:model.yml";
/// Limit of the length in Firefox: target tokens for each source token.
inline constexpr double kStudentLengthFactor = 2;

struct MarianTransformer {
  TransformerConfig config;
  /// Replace GELU by x σ(1.702 x), a scaled swish, as in Marian up to 1.12.0.
  bool scaled_swish = false;
  bool output_bias = true;
  /// True if int8 matrices come with multipliers of activations.
  bool has_activations = false;
  /// True if attention has an output projection.
  bool projects = true;
  /// For each decoder layer, the layer (from 0) whose weights it uses. Empty:
  /// each layer has its own.
  std::vector<int> tied_layers;

  /// True for a student of Firefox or browsermt: its decoder is recurrent.
  bool is_student() const {
    return config.decoder_recurrence == DecoderRecurrence::kSsru;
  }
  /// Number (from 1) in the names of a layer's weights.
  int Number(std::string_view side, int layer) const;
  /// First layer with the weights of `layer`.
  int Origin(std::string_view side, int layer) const;
};

/// Reads the options. Throws: FormatError with an unsupported option.
MarianTransformer ReadMarianTransformer(ImportOptions& options,
                                        const SourceWeights& weights,
                                        Notes& notes);

/// Marian's options of a student with tables of these numbers of rows.
nlohmann::ordered_json StudentOptions(const TransformerConfig& config,
                                      size_t source_rows, size_t target_rows);

/// Layers and norms with weights of their own.
std::vector<Part> MarianParts(const MarianTransformer& marian);

/// Fills layers, norms and positions. The caller fills the embedding tables.
void FillMarianTransformer(const MarianTransformer& marian,
                           WeightReader& reader);

}  // namespace heed

#endif  // HEED_CONVERT_MARIAN_TRANSFORMER_H_
