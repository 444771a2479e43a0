// Which examples stand together in the batches of an epoch.
#ifndef HEED_DATA_EPOCH_PLAN_H_
#define HEED_DATA_EPOCH_PLAN_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace heed {

/// Numbers of the examples of each batch.
using BatchList = std::vector<std::vector<int64_t>>;

/// The batches of an epoch, in the order in which they are trained on: all of
/// them, or window by window, so that only a part is in memory.
class EpochPlan {
 public:
  EpochPlan(BatchList batches);  // NOLINT: implicit by design
  /// Window i has counts[i] batches, which make(i) gives.
  EpochPlan(const std::vector<int64_t>& counts,
            std::function<BatchList(int64_t window)> make);

  /// Batches of the epoch.
  int64_t size() const { return starts_.back(); }
  /// Batches `begin` to `end` − 1, which are there until the next call. Quick
  /// for those that follow the ones of the last call.
  std::span<const std::vector<int64_t>> Get(int64_t begin, int64_t end);
  /// All of them, of a plan that is not needed any more.
  BatchList All() &&;

 private:
  std::vector<int64_t> starts_;  // of each window, and the end
  std::function<BatchList(int64_t)> make_;
  int64_t next_ = 0;   // window that is not loaded yet
  int64_t first_ = 0;  // number of the first batch that is loaded
  BatchList loaded_;
};

struct BatchOptions {
  /// At most so many tokens on each side, padding included.
  int tokens = 4096;
  /// At most so many pairs; 0: no limit.
  int sentences = 0;
};

/// Tokens of each side of a pair, </s> included.
struct PairLength {
  int32_t source = 0;
  int32_t target = 0;
};

/// Pairs of one or more corpora, by their numbers.
struct PlannedPairs {
  std::function<PairLength(int64_t pair)> length;
  /// Where each corpus ends; the last is the number of pairs.
  std::vector<int64_t> ends;
  /// Of each corpus, its part of an epoch (they need not sum to 1); none: as
  /// much as it has.
  std::vector<double> weights = {};
  /// Pairs that are shuffled together; 0: all.
  int64_t window = 0;
  /// Called when the lengths of a window were read: those that are in files
  /// are not needed for a while.
  std::function<void()> measured = {};
};

/// The batches of an epoch of as many pairs as there are. Without weights each
/// pair stands in one batch. With weights a corpus has its part of the epoch:
/// all its pairs as often as they fit, and a random choice of them once more.
/// Runs of 4096 pairs that follow one another are shuffled, and as many as make
/// a window are shuffled together: neighbours in length share a batch, whose
/// order is random. A pair that is longer than options.tokens stands alone.
/// Depends on the arguments only, not on the platform; with a window of all
/// pairs it is the same as without. `pairs.length` and
/// `pairs.measured` are kept in the plan.
/// Throws: ConfigError for options below 1 (sentences: below 0), or weights
/// that do not fit the corpora.
EpochPlan PlanPairs(const PlannedPairs& pairs, const BatchOptions& options,
                    uint64_t seed, int epoch);

}  // namespace heed

#endif  // HEED_DATA_EPOCH_PLAN_H_
