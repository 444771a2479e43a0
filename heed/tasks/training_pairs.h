// Pairs of token ids to learn from, wherever they are.
#ifndef HEED_TASKS_TRAINING_PAIRS_H_
#define HEED_TASKS_TRAINING_PAIRS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/data/batches.h"
#include "heed/tasks/text_store.h"

namespace heed {

/// In memory, or in files of tokens. Not moved once a plan was made.
class TrainingPairs {
 public:
  TrainingPairs() = default;
  /// `ends`: where the pairs of each file end, in their order.
  TrainingPairs(Corpus pairs, std::vector<int64_t> ends);
  /// Of so many files.
  TrainingPairs(TokenFiles tokens, int64_t files);

  int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  int64_t dropped_long() const;
  int64_t dropped_empty() const;

  /// The batches of an epoch; this outlives the plan.
  EpochPlan Plan(const LargeTextConfig& config, const BatchOptions& options,
                 uint64_t seed, int epoch) const;
  /// Copies of these pairs, with their `lines` where they are in memory.
  Corpus Read(std::span<const int64_t> pairs) const;
  Batch BatchOf(std::span<const int64_t> pairs) const;
  /// Tokens of the targets, </s> among them.
  int64_t TargetTokens(std::span<const int64_t> pairs) const;

 private:
  Corpus pairs_;
  std::optional<TokenFiles> tokens_;
  std::vector<int64_t> ends_;
};

/// Where the pairs of each file end, whose texts have so many lines each.
std::vector<int64_t> EndsOfFiles(const Corpus& pairs,
                                 std::span<const int64_t> lines_of_files);

}  // namespace heed

#endif  // HEED_TASKS_TRAINING_PAIRS_H_
