// Importance of attention heads for an answer, and pruning of heads.
#ifndef HEED_EXPLAIN_HEAD_IMPORTANCE_H_
#define HEED_EXPLAIN_HEAD_IMPORTANCE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/explain/attribution.h"

namespace heed {

struct LayerImportance {
  std::string layer;
  std::vector<double> heads;
  /// AttentionInfo::output, the parameter that contains the rows of each head.
  std::string output = {};
};

/// ∂ Σ_n y_n / ∂ξ_h| at ξ = 1, with a factor ξ_h on each head's context: the
/// first-order change of the answer's scores if the head is switched off.
/// Layers in the order of computation. Throws: as Attribute.
/// Paper: Michel et al. 2019, arXiv:1905.10650, eq. 2.
std::vector<LayerImportance> HeadImportance(const Explainable& answer);

/// Adds the importances of one more answer of a model to `sum`.
void AddImportance(const std::vector<LayerImportance>& more,
                   std::vector<LayerImportance>& sum);

/// Divides the importances of each layer by their ℓ2 norm, to make layers
/// comparable.
void NormalizeImportance(std::vector<LayerImportance>& layers);

struct HeadPlace {
  std::string layer;
  int64_t head = 0;
  int64_t heads = 0;  // heads in the layer
  std::string output = {};
  auto operator<=>(const HeadPlace&) const = default;
};

/// All heads that PruneHeads can remove, least important first.
std::vector<HeadPlace> LeastImportantHeads(
    const std::vector<LayerImportance>& layers, const ParameterSet& parameters);

/// Removes heads by zeroing their rows of the output projection [H D, M].
/// Throws: ConfigError for a head without such rows, or int8 weights.
void PruneHeads(std::span<const HeadPlace> heads, ParameterSet& parameters);

}  // namespace heed

#endif  // HEED_EXPLAIN_HEAD_IMPORTANCE_H_
