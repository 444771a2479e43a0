// Attentions that were observed, as an explanation has them.
#ifndef HEED_EXPLAIN_OBSERVED_ATTENTION_H_
#define HEED_EXPLAIN_OBSERVED_ATTENTION_H_

#include <span>
#include <string>
#include <vector>

#include "heed/autograd/observer.h"
#include "heed/explain/explanation.h"

namespace heed {

/// The weights of row `b` of the batch, one attention after the other, in the
/// order of computation, with what they are. One that is run step by step is
/// put together: row t is what step t attended to, keys that were not there yet
/// having weight 0.
std::vector<AttentionMap> CollectMaps(
    std::span<const AttentionWatch::Seen> seen, int64_t b = 0);

/// The parts of row `b` for each head of the attentions of which they were
/// kept; `maps` are those of the same events.
std::vector<AttentionPanels> CollectPanels(
    std::span<const AttentionWatch::Seen> seen,
    std::span<const AttentionMap> maps, int64_t b = 0);

/// Reduces a map along edges, whose queries and keys are the nodes of a graph,
/// to these nodes: item i is node nodes[i]. The weights are not changed; what
/// a node attends to elsewhere becomes its weight outside.
void KeepNodes(std::span<const int32_t> nodes, AttentionMap& map);

}  // namespace heed

#endif  // HEED_EXPLAIN_OBSERVED_ATTENTION_H_
