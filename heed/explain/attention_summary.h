// Statistics and largest weights of heads, in one pass over factors.
#ifndef HEED_EXPLAIN_ATTENTION_SUMMARY_H_
#define HEED_EXPLAIN_ATTENTION_SUMMARY_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/head_statistics.h"
#include "heed/kernels/attention_factors.h"
#include "heed/kernels/weight_rows.h"

namespace heed {

/// Statistics of the heads of an attention, and the largest weights of each
/// row. Shapes: rows [H, T].
struct AttentionSummary {
  std::vector<HeadStatistics> heads;
  std::vector<kernels::WeightRow> rows;
};

/// Numbers that are equal where items are.
std::vector<int32_t> NumberItems(std::span<const std::string> items);

/// Summarises the heads of batch row b without storing their weights;
/// HeadStatistics::step stays NaN.
/// `within_axis` is that of AttentionMap; `tokens` has a number for each
/// position, equal for equal tokens, and is empty if they are unknown. Runs on
/// all threads; the result does not depend on their number.
AttentionSummary Summarize(const kernels::AttentionFactors& factors, int64_t b,
                           bool within_axis, std::span<const int32_t> tokens);

}  // namespace heed

#endif  // HEED_EXPLAIN_ATTENTION_SUMMARY_H_
