#include "heed/explain/observed_attention.h"

#include <algorithm>
#include <iterator>

namespace heed {
namespace {

using Seen = AttentionWatch::Seen;

/// Rows of a [T, N] slice, converted.
std::vector<std::vector<float>> RowsOfSlice(const Tensor& x) {
  const auto all = x.ToVector<float>();
  std::vector<std::vector<float>> rows;
  for (int64_t t = 0; t < x.dim(0); ++t) {
    rows.emplace_back(all.begin() + t * x.dim(1),
                      all.begin() + (t + 1) * x.dim(1));
  }
  return rows;
}

/// Head h of part [B, H, ., .]; of steps, the rows one below the other, or
/// those of the last step alone.
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

}  // namespace

std::vector<LayerAttention> CollectAttentions(std::span<const Seen> seen,
                                              int64_t b) {
  std::vector<LayerAttention> all;
  std::vector<std::vector<Tensor>> steps;  // [H, T, S] of each
  for (const Seen& event : seen) {
    auto known =
        std::ranges::find(all, event.info.path, &LayerAttention::layer);
    if (known == all.end()) {
      const auto side = [](const std::string& axis) {
        return axis == "source" ? TokenSide::kSource : TokenSide::kTarget;
      };
      all.push_back({.layer = event.info.path,
                     .queries = side(event.info.query_axis),
                     .keys = side(event.info.key_axis),
                     .heads = event.info.heads,
                     .weights = {}});
      steps.emplace_back();
      known = all.end() - 1;
    }
    const Tensor weights = event.weights.value()[b];
    known->query_size += weights.dim(1);
    known->key_size = std::max(known->key_size, weights.dim(2));
    steps[static_cast<size_t>(known - all.begin())].push_back(weights);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    LayerAttention& a = all[i];
    a.weights.resize(static_cast<size_t>(a.heads * a.query_size * a.key_size));
    auto row = a.weights.begin();
    for (int64_t h = 0; h < a.heads; ++h) {
      for (const Tensor& step : steps[i]) {
        const auto values = step[h].ToVector<float>();
        for (int64_t t = 0; t < step.dim(1); ++t) {
          std::copy_n(values.begin() + t * step.dim(2), step.dim(2), row);
          row += a.key_size;
        }
      }
    }
  }
  return all;
}

std::vector<AttentionPanels> CollectPanels(std::span<const Seen> seen,
                                           const std::string& path, int64_t b) {
  std::vector<AttentionParts> steps;
  for (const Seen& event : seen) {
    if (event.info.path == path && event.parts) steps.push_back(*event.parts);
  }
  std::vector<AttentionPanels> all;
  if (steps.empty()) return all;
  for (int64_t h = 0; h < steps[0].scores.dim(1); ++h) {
    const auto part = [&](Tensor AttentionParts::*which, bool last_only) {
      return PartOf(steps, which, b, h, last_only);
    };
    AttentionPanels p;
    p.layer = path;
    p.head = h;
    p.query = part(&AttentionParts::query, false);
    p.key = part(&AttentionParts::keys, true);
    p.scores = part(&AttentionParts::scores, false);
    p.weights = part(&AttentionParts::weights, false);
    p.value = part(&AttentionParts::values, true);
    p.context = part(&AttentionParts::context, false);
    all.push_back(std::move(p));
  }
  return all;
}

}  // namespace heed
