#include "heed/explain/observed_attention.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "heed/base/at.h"
#include "heed/explain/head_statistics.h"
#include "heed/kernels/attention_factors.h"

namespace heed {
namespace {

using Seen = AttentionWatch::Seen;

/// Converts a [T, N] slice to rows.
std::vector<std::vector<float>> RowsOfSlice(const Tensor& x) {
  const auto all = x.ToVector<float>();
  std::vector<std::vector<float>> rows;
  for (int64_t t = 0; t < x.dim(0); ++t) {
    rows.emplace_back(all.begin() + t * x.dim(1),
                      all.begin() + (t + 1) * x.dim(1));
  }
  return rows;
}

/// Head h of a part [B, H, ., .] for batch row b. For several steps, the rows
/// of all steps, or with `last_only` those of the last step.
std::vector<std::vector<float>> PartOf(std::span<const AttentionParts> steps,
                                       Tensor AttentionParts::*part, int64_t b,
                                       int64_t h, bool last_only) {
  std::vector<std::vector<float>> rows;
  for (size_t i = last_only ? steps.size() - 1 : 0; i < steps.size(); ++i) {
    const Tensor& x = steps[i].*part;
    if (!x.defined() || x.rank() != 4) return {};
    auto more = RowsOfSlice(x[b][h]);
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

void SetEdges(const Seen& event, AttentionMap& map) {
  const kernels::Neighbourhood& graph = *event.graph;
  map.query_size = graph.queries;
  map.key_size = graph.key_count;
  map.weights = event.weights.value().ToVector<float>();
  for (int64_t i = 0; i < graph.keys.numel(); ++i) {
    map.edges.emplace_back(graph.queries_of_edges.data<int32_t>()[i],
                           graph.keys.data<int32_t>()[i]);
  }
}

/// Concatenates the weights of all steps, head by head.
void PutTogether(std::span<const Tensor> steps, AttentionMap& map) {
  map.weights.resize(
      static_cast<size_t>(map.heads * map.query_size * map.key_size));
  auto row = map.weights.begin();
  for (int64_t h = 0; h < map.heads; ++h) {
    for (const Tensor& step : steps) {
      const auto values = step[h].ToVector<float>();
      for (int64_t t = 0; t < step.dim(1); ++t) {
        std::copy_n(values.begin() + t * step.dim(2), step.dim(2), row);
        row += map.key_size;
      }
    }
  }
}

/// Weights of row `b` of the batch [H, T, S].
Tensor WeightsOf(const Seen& event, int64_t b) {
  if (event.factors == nullptr) return event.weights.value()[b];
  const kernels::AttentionFactors& factors = *event.factors;
  if (factors.batch() == 1) return factors.Weights()[0];
  Tensor weights({factors.heads(), factors.queries(), factors.keys()});
  for (int64_t h = 0; h < factors.heads(); ++h) {
    weights[h].CopyFrom(
        factors.Tile(b, h, {0, factors.queries()}, {0, factors.keys()}));
  }
  return weights;
}

/// Sets the weights of a map, or its factors if it is large, from its calls.
void SetWeights(std::span<const Seen* const> calls, int64_t b,
                AttentionMap& map) {
  const int64_t size = map.heads * map.query_size * map.key_size;
  if (calls.size() == 1 && calls[0]->factors && size > kDenseWeights) {
    map.factors = calls[0]->factors;
    map.batch_row = b;
    return;
  }
  std::vector<Tensor> steps;
  for (const Seen* call : calls) steps.push_back(WeightsOf(*call, b));
  PutTogether(steps, map);
}

/// Appends the contexts of row `b` of an event to those of earlier steps.
void AddContext(const Seen& event, int64_t b, std::vector<float>& contexts) {
  if (!event.context.defined()) return;
  const auto more = event.context[b].ToVector<float>();
  contexts.insert(contexts.end(), more.begin(), more.end());
}

}  // namespace

std::vector<AttentionMap> CollectMaps(std::span<const Seen> seen, int64_t b) {
  std::vector<AttentionMap> all;
  std::vector<std::vector<const Seen*>> calls;  // per attention
  std::vector<std::vector<float>> contexts;     // per attention [T, H D]
  for (const Seen& event : seen) {
    auto known = std::ranges::find(all, event.info.path, &AttentionMap::name);
    if (known == all.end()) {
      all.push_back({.name = event.info.path,
                     .title = TitleOfPath(event.info.path),
                     .query = event.info.query_axis,
                     .key = event.info.key_axis,
                     .score = event.info.score,
                     .normalizer = event.info.normalizer,
                     .modifiers = event.info.modifiers,
                     .output = event.info.output,
                     .numbers = event.info.parts,
                     .heads = event.info.heads});
      calls.emplace_back();
      contexts.emplace_back();
      known = all.end() - 1;
    }
    const auto place = static_cast<size_t>(known - all.begin());
    AddContext(event, b, contexts[place]);
    if (event.graph) {
      SetEdges(event, *known);
      continue;
    }
    const kernels::AttentionFactors* factors = event.factors.get();
    known->query_size += factors ? factors->queries() : event.weights.dim(2);
    known->key_size = std::max(
        known->key_size, factors ? factors->keys() : event.weights.dim(3));
    calls[place].push_back(&event);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    if (!calls[i].empty()) SetWeights(calls[i], b, all[i]);
    all[i].context_similarity =
        ContextSimilarity(contexts[i], all[i].heads, all[i].query_size);
  }
  return all;
}

void KeepNodes(std::span<const int32_t> nodes, AttentionMap& map) {
  std::vector<int32_t> item_of(static_cast<size_t>(map.key_size), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    At(item_of, nodes[i]) = static_cast<int32_t>(i);
  }
  AttentionMap whole;
  whole.heads = map.heads;
  whole.edges = std::exchange(map.edges, {});
  whole.weights = std::exchange(map.weights, {});
  map.query_size = map.key_size = std::ssize(nodes);
  std::vector<float> outside(static_cast<size_t>(map.heads) * nodes.size());
  std::vector<size_t> edges;
  bool cut = false;
  for (size_t e = 0; e < whole.edges.size(); ++e) {
    const int32_t query = At(item_of, whole.edges[e].first);
    const int32_t key = At(item_of, whole.edges[e].second);
    if (query < 0) continue;
    if (key >= 0) {
      edges.push_back(e);
      map.edges.emplace_back(query, key);
      continue;
    }
    cut = true;
    for (int64_t h = 0; h < map.heads; ++h) {
      outside[static_cast<size_t>(h) * nodes.size() +
              static_cast<size_t>(query)] += whole.OfEdge(e, h);
    }
  }
  for (int64_t h = 0; h < map.heads; ++h) {
    for (const size_t e : edges) map.weights.push_back(whole.OfEdge(e, h));
  }
  if (!cut) return;
  map.outside = std::move(outside);
  map.context_similarity = std::numeric_limits<double>::quiet_NaN();
}

std::vector<AttentionPanels> CollectPanels(std::span<const Seen> seen,
                                           std::span<const AttentionMap> maps,
                                           int64_t b) {
  std::vector<AttentionPanels> all;
  for (size_t m = 0; m < maps.size(); ++m) {
    std::vector<AttentionParts> steps;
    for (const Seen& event : seen) {
      if (event.info.path == maps[m].name && event.parts) {
        steps.push_back(*event.parts);
      }
    }
    if (steps.empty()) continue;
    for (int64_t h = 0; h < maps[m].heads; ++h) {
      const auto part = [&](Tensor AttentionParts::*which, bool last_only) {
        return PartOf(steps, which, b, h, last_only);
      };
      all.push_back({.map = m,
                     .head = h,
                     .query = part(&AttentionParts::query, false),
                     .key = part(&AttentionParts::keys, true),
                     .scores = part(&AttentionParts::scores, false),
                     .weights = part(&AttentionParts::weights, false),
                     .value = part(&AttentionParts::values, true),
                     .context = part(&AttentionParts::context, false)});
    }
  }
  return all;
}

}  // namespace heed
