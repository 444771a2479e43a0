// A finished translation in tokens, and how it is scored.
#ifndef HEED_DECODE_HYPOTHESIS_H_
#define HEED_DECODE_HYPOTHESIS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/base/cancellation.h"
#include "heed/decode/options.h"

namespace heed {

/// What a model wrote for one sentence. Every hypothesis ends with </s>, if
/// need be forced at the length limit.
struct Hypothesis {
  std::vector<int32_t> tokens;  ///< without <s> and </s>
  /// log p / LengthPenalty + CoveragePenalty; the greater the better. 0 if the
  /// options do not ask for scores.
  double score = 0;
  /// Of all tokens and </s> under the model; 0 likewise. Units: natural
  /// logarithm.
  double log_probability = 0;
  /// What each token and then </s> looked at, row-major
  /// [tokens.size() + 1, source_length]; empty if it was not asked for or the
  /// model has no attention.
  std::vector<float> attention;
  int64_t source_length = 0;  ///< with </s>
  /// True if the hypothesis ended because it reached the position limit.
  bool at_last_position = false;
};

/// Gets, while a sentence is written, the longest prefix that all hypotheses
/// share which can still become its best one, without </s>: what will not be
/// taken back. Called when that has grown, and at last with the `whole` best
/// hypothesis. `sentence`: its number in the batch.
using PrefixObserver = std::function<void(
    int64_t sentence, std::span<const int32_t> tokens, bool whole)>;

/// Who watches a search, and who may end it.
struct SearchHooks {
  PrefixObserver observer;
  /// Of each sentence of the batch; empty: nobody cancels. A cancelled sentence
  /// leaves the batch before the next step and has no hypotheses.
  std::vector<const Cancellation*> cancellations;
};

/// ((5 + length) / 6)^alpha; length counts </s>.
/// Paper: Wu 2016, 1609.08144, eq. 14.
double LengthPenalty(int64_t length, double alpha);

/// beta sum_s log min(coverage[s], 1), never above 0, with coverage[s] the
/// attention that source token s received from all target tokens (at least
/// 1e-6, so that one ignored token is not the end).
/// Paper: Wu 2016, 1609.08144, eq. 14.
double CoveragePenalty(std::span<const float> coverage, double beta);

}  // namespace heed

#endif  // HEED_DECODE_HYPOTHESIS_H_
