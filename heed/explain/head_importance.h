// How much an answer depends on each head, and models without some of them.
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
  /// AttentionInfo::output: the rows of a head are a part of them.
  std::string output = {};
};

/// |∂ Σ_n y_n / ∂ξ_h| at ξ = 1 for a factor ξ_h of each head's context: by how
/// much the answer's scores would change if it was switched off, to first
/// order. Layers in the order of computation. Throws: as Attribute.
/// Paper: Michel et al. 2019, arXiv:1905.10650, eq. 2.
std::vector<LayerImportance> HeadImportance(const Explainable& answer);

/// Sums over answers of one model.
void AddImportance(const std::vector<LayerImportance>& more,
                   std::vector<LayerImportance>& sum);

/// Each layer's divided by their ℓ2 norm, so that layers compare.
void NormalizeImportance(std::vector<LayerImportance>& layers);

struct HeadPlace {
  std::string layer;
  int64_t head = 0;
  int64_t heads = 0;  // of the layer
  std::string output = {};
  auto operator<=>(const HeadPlace&) const = default;
};

/// All heads that PruneHeads can take away, the least important first.
std::vector<HeadPlace> LeastImportantHeads(
    const std::vector<LayerImportance>& layers, const ParameterSet& parameters);

/// Makes what heads add to their layers zero: their rows of the parameter
/// [H D, M] that mixes them. Throws: ConfigError for a head without such rows,
/// or int8 weights.
void PruneHeads(std::span<const HeadPlace> heads, ParameterSet& parameters);

}  // namespace heed

#endif  // HEED_EXPLAIN_HEAD_IMPORTANCE_H_
