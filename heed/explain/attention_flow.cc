#include "heed/explain/attention_flow.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/at.h"
#include "heed/base/errors.h"

namespace heed {
namespace {

bool PassesOn(const AttentionMap& map, const std::string& axis) {
  return map.query == axis && map.key == axis && map.edges.empty() &&
         map.query_size == map.key_size;
}

/// ½ (row A + row), for each row.
std::vector<float> Through(const std::vector<float>& rows,
                           const AttentionMap& map) {
  const std::vector<float> weights = map.MeanOfHeads();
  const auto size = static_cast<size_t>(map.key_size);
  std::vector<float> passed(rows.size());
  for (size_t begin = 0; begin < rows.size(); begin += size) {
    for (size_t t = 0; t < size; ++t) {
      const float share = rows[begin + t] / 2;
      if (share == 0) continue;
      passed[begin + t] += share;
      for (size_t s = 0; s < size; ++s) {
        passed[begin + s] += share * weights[t * size + s];
      }
    }
  }
  return passed;
}

/// The key axis of most targets that have an attention row.
std::string AxisOfMost(const ExplanationSegment& segment) {
  std::map<std::string, int> count;
  std::string most;
  for (const Target& target : segment.targets) {
    if (!target.map) continue;
    const std::string& axis = segment.maps.at(*target.map).key;
    if (++count[axis] > count[most]) most = axis;
  }
  if (most.empty()) {
    throw ConfigError("{}: the answer has no attention weights of its own",
                      kRollout);
  }
  return most;
}

}  // namespace

Attribution Rollout(const ExplanationSegment& segment) {
  Attribution rollout;
  rollout.method = kRollout;
  rollout.axis = AxisOfMost(segment);
  size_t top = segment.maps.size();  // the first map that a target reads
  for (size_t n = 0; n < segment.targets.size(); ++n) {
    const Target& target = segment.targets[n];
    if (!target.map || segment.maps[*target.map].key != rollout.axis) continue;
    top = std::min(top, *target.map);
    rollout.targets.push_back(n);
    std::vector<float> row = RowOf(segment, target);
    if (PassesOn(segment.maps[*target.map], rollout.axis)) {
      for (float& weight : row) weight /= 2;
      At(row, target.row) += 0.5F;
    }
    rollout.scores.insert(rollout.scores.end(), row.begin(), row.end());
  }
  for (size_t below = top; below-- > 0;) {
    if (PassesOn(segment.maps[below], rollout.axis)) {
      rollout.scores = Through(rollout.scores, segment.maps[below]);
    }
  }
  return rollout;
}

void FillNorms(const Tensor& output, AttentionPanels& panels) {
  panels.norms.clear();
  if (panels.value.empty() || output.rank() != 2) return;
  const auto features = std::ssize(panels.value[0]);
  const int64_t first = panels.head * features;
  if (first + features > output.dim(0)) return;
  const Tensor own = output.Slice(first, first + features).To(DType::kF32);
  std::vector<float> lengths;
  for (const std::vector<float>& value : panels.value) {
    std::vector<double> vector(static_cast<size_t>(own.dim(1)));
    for (int64_t d = 0; d < features; ++d) {
      const float* row = own.row<float>(d);
      for (size_t m = 0; m < vector.size(); ++m) {
        vector[m] += double{At(value, d)} * row[m];
      }
    }
    double squares = 0;
    for (const double x : vector) squares += x * x;
    lengths.push_back(static_cast<float>(std::sqrt(squares)));
  }
  panels.norms = panels.weights;
  for (std::vector<float>& row : panels.norms) {
    for (size_t s = 0; s < row.size(); ++s) {
      row[s] = std::abs(row[s]) * lengths[s];
    }
  }
}

}  // namespace heed
