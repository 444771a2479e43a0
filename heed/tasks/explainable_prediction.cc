#include "heed/tasks/explainable_prediction.h"

#include "heed/ops/shape.h"

namespace heed {

std::vector<int64_t> EachRow(int64_t n) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < n; ++i) rows.push_back(i);
  return rows;
}

std::vector<int64_t> Repeated(int64_t copies, int64_t item) {
  return std::vector<int64_t>(static_cast<size_t>(copies), item);
}

Tensor RepeatedRows(const std::vector<int32_t>& ids, int64_t copies) {
  std::vector<int32_t> rows;
  rows.reserve(ids.size() * static_cast<size_t>(copies));
  for (int64_t i = 0; i < copies; ++i) {
    rows.insert(rows.end(), ids.begin(), ids.end());
  }
  return Tensor::Of(rows, {copies, std::ssize(ids)});
}

Var ChosenColumns(const Var& matrix, const std::vector<int32_t>& columns) {
  std::vector<Var> parts;
  for (const int32_t column : columns) {
    parts.push_back(Columns(matrix, column, column + 1));
  }
  return ConcatColumns(parts);
}

namespace {

template <typename Is>
std::string LastPath(const AttentionWatch& watch, const Is& is) {
  std::string last;
  for (const AttentionWatch::Seen& seen : watch.seen) {
    if (is(seen.info)) last = seen.info.path;
  }
  return last;
}

}  // namespace

std::string LastSelfAttention(const AttentionWatch& watch) {
  return LastPath(watch, [](const AttentionInfo& info) {
    return info.query_axis == info.key_axis;
  });
}

std::string PoolingAttention(const AttentionWatch& watch) {
  return LastPath(watch, [](const AttentionInfo& info) {
    return info.query_axis == "answer";
  });
}

}  // namespace heed
