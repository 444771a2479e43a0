#include "heed/train/shards.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "heed/base/at.h"

namespace heed {

Interval EvenPart(int64_t n, int64_t parts, int64_t i) {
  return {n * i / parts, n * (i + 1) / parts};
}

std::vector<Interval> SplitByUnits(std::span<const int64_t> units,
                                   int64_t parts) {
  const int64_t all = std::accumulate(units.begin(), units.end(), int64_t{0});
  std::vector<Interval> result;
  int64_t begin = 0, sum = 0;
  for (int64_t part = 0; part < parts; ++part) {
    int64_t end = begin;
    // Ends the part where the border is nearest to its share of the sum.
    while (end < std::ssize(units)) {
      const int64_t next = At(units, end);
      if (part + 1 < parts && (2 * sum + next) * parts > 2 * all * (part + 1)) {
        break;
      }
      sum += next;
      ++end;
    }
    result.push_back({begin, end});
    begin = end;
  }
  return result;
}

std::vector<TreeNode> NodesOf(Interval shards) {
  std::vector<TreeNode> nodes;
  while (shards.size() > 0) {
    const auto begin = static_cast<uint64_t>(shards.begin);
    const auto size = static_cast<uint64_t>(shards.size());
    int level = std::bit_width(size) - 1;
    if (begin != 0) level = std::min(level, std::countr_zero(begin));
    nodes.push_back({level, shards.begin >> level});
    shards.begin += int64_t{1} << level;
  }
  return nodes;
}

}  // namespace heed
