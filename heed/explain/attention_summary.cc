#include "heed/explain/attention_summary.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/explain/attention_patterns.h"

namespace heed {
namespace {

using kernels::AttentionFactors;
using kernels::WeightRow;

/// Queries of a block. Its weights fit into a cache.
constexpr int64_t kBlock = 64;

/// Unit of the positions of an axis for distances, see HeadStatistics.
double UnitOf(bool within_axis, int64_t size) {
  if (within_axis) return 1;
  return size > 1 ? 1 / static_cast<double>(size - 1) : 0;
}

/// Summarises the rows of one head that follow `begin`.
void SummarizeBlock(const AttentionFactors& factors, int64_t b, int64_t head,
                    bool within_axis, int64_t begin, std::span<WeightRow> rows,
                    PatternSums& patterns) {
  const kernels::Range queries = {begin, begin + std::ssize(rows)};
  const kernels::Range keys = factors.VisibleKeys(b, queries);
  if (keys.size() <= 0) return;
  const Tensor weights = factors.Tile(b, head, queries, keys);
  kernels::SummarizeWeights(
      weights,
      {.first_query = begin,
       .first_key = keys.begin,
       .query_unit = UnitOf(within_axis, factors.queries()),
       .key_unit = UnitOf(within_axis, factors.keys())},
      rows);
  for (int64_t i = 0; i < std::ssize(rows); ++i) {
    if (!(rows[static_cast<size_t>(i)].sum > 0)) continue;
    const float* row = weights.row<float>(i);
    patterns.Add(begin + i, [&](int64_t s) {
      return s >= keys.begin && s < keys.end ? double{row[s - keys.begin]} : 0;
    });
  }
}

/// Means over the rows of a head.
HeadStatistics MeansOf(std::span<const WeightRow> rows) {
  HeadStatistics sum;
  sum.largest = 0;
  int64_t count = 0;
  for (const WeightRow& row : rows) {
    if (!(row.sum > 0)) continue;
    sum.entropy += double{row.entropy};
    sum.words += std::exp2(double{row.entropy});
    sum.distance += double{row.distance};
    sum.largest += double{row.top[0]};
    ++count;
  }
  const auto n = static_cast<double>(std::max<int64_t>(count, 1));
  for (double* mean : {&sum.entropy, &sum.words, &sum.distance, &sum.largest}) {
    *mean /= n;
  }
  return sum;
}

}  // namespace

std::vector<int32_t> NumberItems(std::span<const std::string> items) {
  std::unordered_map<std::string, int32_t> known;
  std::vector<int32_t> numbers;
  for (const std::string& item : items) {
    numbers.push_back(
        known.emplace(item, static_cast<int32_t>(known.size())).first->second);
  }
  return numbers;
}

std::vector<int32_t> EarlierEqual(std::span<const int32_t> tokens) {
  std::unordered_map<int32_t, int32_t> last;
  std::vector<int32_t> earlier;
  for (const int32_t token : tokens) {
    const auto place = static_cast<int32_t>(earlier.size());
    const auto [known, fresh] = last.emplace(token, place);
    earlier.push_back(fresh ? -1 : std::exchange(known->second, place));
  }
  return earlier;
}

AttentionSummary Summarize(const AttentionFactors& factors, int64_t b,
                           bool within_axis, std::span<const int32_t> tokens) {
  const int64_t H = factors.heads();
  const int64_t T = factors.queries();
  const int64_t blocks = (T + kBlock - 1) / kBlock;
  const std::vector<int32_t> earlier = EarlierEqual(tokens);
  AttentionSummary summary;
  summary.rows.resize(static_cast<size_t>(H * T));
  const std::span<WeightRow> rows(summary.rows);
  std::vector<PatternSums> patterns(static_cast<size_t>(H * blocks),
                                    PatternSums(within_axis, earlier));
  ParallelTasks(H * blocks, [&](int64_t i) {
    const int64_t head = i / blocks;
    const int64_t begin = i % blocks * kBlock;
    const int64_t size = std::min(kBlock, T - begin);
    SummarizeBlock(factors, b, head, within_axis, begin,
                   rows.subspan(static_cast<size_t>(head * T + begin),
                                static_cast<size_t>(size)),
                   At(patterns, i));
  });
  for (int64_t h = 0; h < H; ++h) {
    PatternSums whole(within_axis, earlier);
    for (int64_t i = 0; i < blocks; ++i) {
      whole.Add(At(patterns, h * blocks + i));
    }
    HeadStatistics head = MeansOf(
        rows.subspan(static_cast<size_t>(h * T), static_cast<size_t>(T)));
    whole.SetMeans(head);
    summary.heads.push_back(head);
  }
  return summary;
}

}  // namespace heed
