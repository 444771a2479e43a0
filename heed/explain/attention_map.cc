#include <algorithm>

#include "heed/base/at.h"
#include "heed/base/threads.h"
#include "heed/explain/attention_summary.h"
#include "heed/explain/explanation.h"
#include "heed/kernels/attention_factors.h"

namespace heed {
namespace {

/// Queries whose weights are computed at once.
constexpr int64_t kRows = 128;

/// Ranges [first, last) less the first item of the first one, and all their
/// items as one range.
std::vector<ItemRange> Moved(std::span<const ItemRange> ranges, ItemRange part,
                             ItemRange& items) {
  std::vector<ItemRange> moved;
  items = {At(ranges, part.begin).begin, At(ranges, part.end - 1).end};
  for (int64_t i = part.begin; i < part.end; ++i) {
    const ItemRange& range = At(ranges, i);
    moved.push_back({range.begin - items.begin, range.end - items.begin});
  }
  return moved;
}

/// A tile computed from the factors of a map.
std::vector<float> TileOfFactors(const AttentionMap& map, int64_t head,
                                 ItemRange rows, ItemRange columns) {
  const auto tile = [&](ItemRange t, ItemRange s) {
    return map.factors
        ->Tile(map.batch_row, head, {t.begin, t.end}, {s.begin, s.end})
        .ToVector<float>();
  };
  if (map.merged_queries.empty()) return tile(rows, columns);
  ItemRange queries, keys;
  const std::vector<ItemRange> of_rows =
      Moved(map.merged_queries, rows, queries);
  const std::vector<ItemRange> of_columns =
      Moved(map.merged_keys, columns, keys);
  return MergeRanges(tile(queries, keys), of_rows, of_columns,
                     keys.end - keys.begin);
}

}  // namespace

std::vector<float> MergeRanges(std::span<const float> weights,
                               std::span<const ItemRange> rows,
                               std::span<const ItemRange> columns,
                               int64_t width) {
  std::vector<float> merged;
  for (const ItemRange& row : rows) {
    for (const ItemRange& column : columns) {
      float sum = 0;
      for (int64_t t = row.begin; t < row.end; ++t) {
        for (int64_t s = column.begin; s < column.end; ++s) {
          sum += At(weights, t * width + s);
        }
      }
      merged.push_back(sum / static_cast<float>(row.end - row.begin));
    }
  }
  return merged;
}

std::vector<float> AttentionMap::Tile(int64_t head, ItemRange rows,
                                      ItemRange columns) const {
  std::vector<float> tile;
  if (head < 0) {
    for (int64_t h = 0; h < heads; ++h) {
      const std::vector<float> own = Tile(h, rows, columns);
      tile.resize(own.size());
      for (size_t i = 0; i < tile.size(); ++i) tile[i] += own[i];
    }
    for (float& w : tile) w /= static_cast<float>(heads);
    return tile;
  }
  const int64_t width = columns.end - columns.begin;
  const int64_t size = (rows.end - rows.begin) * width;
  if (size <= 0) return tile;
  if (large()) return TileOfFactors(*this, head, rows, columns);
  if (edges.empty()) {
    for (int64_t t = rows.begin; t < rows.end; ++t) {
      const auto row =
          weights.begin() + (head * query_size + t) * key_size + columns.begin;
      tile.insert(tile.end(), row, row + width);
    }
    return tile;
  }
  tile.resize(static_cast<size_t>(size));
  for (size_t i = 0; i < edges.size(); ++i) {
    const auto [t, s] = edges[i];
    if (t < rows.begin || t >= rows.end || s < columns.begin ||
        s >= columns.end) {
      continue;
    }
    At(tile, (t - rows.begin) * width + s - columns.begin) =
        weights[static_cast<size_t>(head) * edges.size() + i];
  }
  return tile;
}

std::vector<float> AttentionMap::Rows(int64_t head, ItemRange rows) const {
  return Tile(head, rows, {0, key_size});
}

std::vector<float> AttentionMap::OfHead(int64_t head) const {
  return Rows(head, {0, query_size});
}

std::vector<float> AttentionMap::MeanOfHeads() const { return OfHead(-1); }

std::vector<float> AttentionMap::Pooled(int64_t head, int64_t side) const {
  const int64_t height = std::min(query_size, side);
  const int64_t width = std::min(key_size, side);
  std::vector<float> pooled(static_cast<size_t>(height * width));
  for (int64_t begin = 0; begin < query_size; begin += kRows) {
    const int64_t end = std::min(query_size, begin + kRows);
    const std::vector<float> rows = Rows(head, {begin, end});
    for (int64_t t = begin; t < end; ++t) {
      float* cells = pooled.data() + t * height / query_size * width;
      const float* row = rows.data() + (t - begin) * key_size;
      for (int64_t s = 0; s < key_size; ++s) {
        float& cell = cells[s * width / key_size];
        cell = std::max(cell, row[s]);
      }
    }
  }
  return pooled;
}

int64_t AttentionMap::factor_bytes() const {
  return large() ? factors->bytes() : 0;
}

float AttentionMap::Largest() const {
  float largest = 0;
  if (summary == nullptr) {
    for (const float w : weights) largest = std::max(largest, w);
    for (int64_t h = 0; large() && h < heads; ++h) {
      largest = std::max(largest, Pooled(h, 1).at(0));
    }
    return largest;
  }
  for (const kernels::WeightRow& row : summary->rows) {
    largest = std::max(largest, row.top[0]);
  }
  return largest;
}

float AttentionMap::OfEdge(size_t edge, int64_t head) const {
  if (head >= 0) {
    return weights[static_cast<size_t>(head) * edges.size() + edge];
  }
  float sum = 0;
  for (int64_t h = 0; h < heads; ++h) sum += OfEdge(edge, h);
  return sum / static_cast<float>(heads);
}

float AttentionMap::Outside(int64_t query, int64_t head) const {
  if (outside.empty()) return 0;
  if (head >= 0) return At(outside, head * query_size + query);
  float sum = 0;
  for (int64_t h = 0; h < heads; ++h) sum += Outside(query, h);
  return sum / static_cast<float>(heads);
}

void SummarizeLargeMaps(ExplanationSegment& segment) {
  for (AttentionMap& map : segment.maps) {
    if (!map.large()) continue;
    const std::vector<int32_t> tokens =
        map.within_axis() ? NumberItems(segment.axis(map.query).items)
                          : std::vector<int32_t>();
    map.summary = std::make_shared<AttentionSummary>(
        Summarize(*map.factors, map.batch_row, map.within_axis(), tokens));
  }
}

}  // namespace heed
