// Hypotheses and their scores.
#ifndef HEED_DECODE_HYPOTHESIS_H_
#define HEED_DECODE_HYPOTHESIS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/base/cancellation.h"
#include "heed/decode/options.h"

namespace heed {

/// A model's output for one sentence. Every hypothesis ends with </s>, forced
/// at the length limit if necessary.
struct Hypothesis {
  std::vector<int32_t> tokens;  ///< without <s> and </s>
  /// log p / LengthPenalty + CoveragePenalty; higher is better. 0 if the
  /// options do not request scores.
  double score = 0;
  /// Log-probability of all tokens and </s> under the model; 0 if the options
  /// do not request scores. Units: natural logarithm.
  double log_probability = 0;
  /// Log-probability of each token and of </s>; empty if the options do not
  /// request scores.
  std::vector<float> log_probabilities;
  /// Attention of each token and of </s>, row-major [tokens.size() + 1,
  /// source_length]; empty if not requested or if the model has no attention.
  std::vector<float> attention;
  int64_t source_length = 0;  ///< includes </s>
  /// True if the hypothesis ended because it reached the position limit.
  bool at_last_position = false;
};

/// Receives, while a sentence is decoded, the longest common prefix of all
/// hypotheses that can still become the best, without </s>. This prefix is
/// final. Called when the prefix has grown, and finally with the `whole` best
/// hypothesis. `sentence`: index in the batch.
using PrefixObserver = std::function<void(
    int64_t sentence, std::span<const int32_t> tokens, bool whole)>;

/// Tokens that may be generated, one ascending list of ids for each sentence
/// that includes the special tokens; no lists: all tokens may be.
using OutputLists = std::vector<std::vector<int32_t>>;

/// Observer and cancellation of a search.
struct SearchHooks {
  PrefixObserver observer;
  /// One per sentence of the batch; empty: never cancelled. A cancelled
  /// sentence leaves the batch before the next step and has no hypotheses.
  std::vector<const Cancellation*> cancellations;
};

/// ((5 + length) / 6)^alpha; length counts </s>.
/// Paper: Wu 2016, 1609.08144, eq. 14.
double LengthPenalty(int64_t length, double alpha);

/// beta · Σ_s log min(coverage[s], 1), at most 0. coverage[s] is the sum of the
/// attention on source token s over all target tokens, at least 1e-6, so that
/// one ignored token does not dominate.
/// Paper: Wu 2016, 1609.08144, eq. 14.
double CoveragePenalty(std::span<const float> coverage, double beta);

}  // namespace heed

#endif  // HEED_DECODE_HYPOTHESIS_H_
