// Conversion of observed attention to the maps and panels of an explanation.
#ifndef HEED_EXPLAIN_OBSERVED_ATTENTION_H_
#define HEED_EXPLAIN_OBSERVED_ATTENTION_H_

#include <span>
#include <string>
#include <vector>

#include "heed/autograd/observer.h"
#include "heed/explain/explanation.h"

namespace heed {

/// Attention maps of row `b` of the batch, in the order of computation.
/// Attention computed step by step is assembled: row t holds the weights of
/// step t, with 0 for keys that did not exist yet.
std::vector<AttentionMap> CollectMaps(
    std::span<const AttentionWatch::Seen> seen, int64_t b = 0);

/// Panels of row `b` for each head of the layers whose parts were kept; `maps`
/// must come from the same events.
std::vector<AttentionPanels> CollectPanels(
    std::span<const AttentionWatch::Seen> seen,
    std::span<const AttentionMap> maps, int64_t b = 0);

/// Reduces a map along the edges of a graph to these nodes: item i is node
/// nodes[i]. The remaining weights are unchanged; weights on other nodes move
/// to `outside`.
void KeepNodes(std::span<const int32_t> nodes, AttentionMap& map);

}  // namespace heed

#endif  // HEED_EXPLAIN_OBSERVED_ATTENTION_H_
