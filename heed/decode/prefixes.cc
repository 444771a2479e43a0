#include "heed/decode/prefixes.h"

#include <algorithm>

#include "heed/base/at.h"

namespace heed {

int32_t Prefixes::Extend(int32_t parent, int32_t token, float log_probability,
                         std::span<const float> attention) {
  if (parent != kRoot) ++At(nodes_, parent).uses;
  nodes_.push_back({parent,
                    token,
                    1,
                    log_probability,
                    {attention.begin(), attention.end()}});
  return static_cast<int32_t>(nodes_.size()) - 1;
}

void Prefixes::Release(int32_t prefix) {
  while (prefix != kRoot) {
    Node& node = At(nodes_, prefix);
    if (--node.uses > 0) return;
    node.attention = {};
    prefix = node.parent;
  }
}

std::vector<int32_t> Prefixes::Path(int32_t prefix) const {
  std::vector<int32_t> path;
  for (; prefix != kRoot; prefix = At(nodes_, prefix).parent)
    path.push_back(prefix);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<int32_t> Prefixes::Tokens(int32_t prefix) const {
  std::vector<int32_t> tokens = Path(prefix);
  for (int32_t& node : tokens) node = Token(node);
  return tokens;
}

std::vector<float> Prefixes::LogProbabilities(int32_t prefix) const {
  std::vector<float> values;
  for (const int32_t node : Path(prefix)) {
    values.push_back(At(nodes_, node).log_probability);
  }
  return values;
}

std::vector<float> Prefixes::Attention(int32_t prefix) const {
  std::vector<float> rows;
  for (const int32_t node : Path(prefix)) {
    const std::vector<float>& row = At(nodes_, node).attention;
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

}  // namespace heed
