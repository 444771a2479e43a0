// Composition of an epoch's batches.
#ifndef HEED_DATA_EPOCH_PLAN_H_
#define HEED_DATA_EPOCH_PLAN_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace heed {

/// Numbers of the examples in each batch.
using BatchList = std::vector<std::vector<int64_t>>;

/// Batches of an epoch in training order. They are either all in memory, or
/// made window by window.
class EpochPlan {
 public:
  EpochPlan(BatchList batches);  // NOLINT: implicit by design
  /// Window i has counts[i] batches, which make(i) returns.
  EpochPlan(const std::vector<int64_t>& counts,
            std::function<BatchList(int64_t window)> make);

  /// Number of batches.
  int64_t size() const { return starts_.back(); }
  /// Batches `begin` to `end` − 1, valid until the next call. Fast if they
  /// follow the batches of the previous call.
  std::span<const std::vector<int64_t>> Get(int64_t begin, int64_t end);
  /// Moves all batches out of the plan.
  BatchList All() &&;

 private:
  std::vector<int64_t> starts_;  // first batch of each window, and the end
  std::function<BatchList(int64_t)> make_;
  int64_t next_ = 0;   // next window to load
  int64_t first_ = 0;  // number of the first loaded batch
  BatchList loaded_;
};

struct BatchOptions {
  /// Maximum tokens of a batch on each side, including padding.
  int tokens = 4096;
  /// Maximum pairs of a batch; 0: no limit.
  int sentences = 0;
};

/// Tokens on each side of a pair, including </s>.
struct PairLength {
  int32_t source = 0;
  int32_t target = 0;
};

/// Pairs of one or several corpora, by number.
struct PlannedPairs {
  std::function<PairLength(int64_t pair)> length;
  /// End of each corpus; the last value is the number of pairs.
  std::vector<int64_t> ends;
  /// Relative share of an epoch for each corpus (need not sum to 1); empty:
  /// proportional to the numbers of pairs.
  std::vector<double> weights = {};
  /// Number of pairs that are shuffled together; 0: all.
  int64_t window = 0;
  /// Called after the lengths of a window were read. Mapped files can then be
  /// released.
  std::function<void()> measured = {};
};

/// Plans the batches of an epoch, which has as many pairs as the corpora.
/// Without weights each pair is used once. With weights each corpus gets its
/// share: all of its pairs as often as they fit, and a random subset once more.
/// Blocks of 4096 consecutive pairs are shuffled, and blocks that form a window
/// are shuffled together. Within a window, pairs of similar length share a
/// batch, and the order of batches is random. A pair longer than options.tokens
/// is a batch of its own. The result depends on the arguments only, not on the
/// platform; a window of all pairs equals no window. The plan keeps
/// `pairs.length` and `pairs.measured`. Throws: ConfigError for options below 1
/// (sentences: below 0), or weights that do not match the corpora.
EpochPlan PlanPairs(const PlannedPairs& pairs, const BatchOptions& options,
                    uint64_t seed, int epoch);

}  // namespace heed

#endif  // HEED_DATA_EPOCH_PLAN_H_
