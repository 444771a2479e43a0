// Training pairs of token ids, in memory or in files.
#ifndef HEED_TASKS_TRAINING_PAIRS_H_
#define HEED_TASKS_TRAINING_PAIRS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/data/batches.h"
#include "heed/tasks/text_store.h"

namespace heed {

/// Training pairs in memory or in files of tokens. Must not be moved after
/// Plan.
class TrainingPairs {
 public:
  TrainingPairs() = default;
  /// `ends`: index after the last pair of each file, in file order.
  TrainingPairs(Corpus pairs, std::vector<int64_t> ends);
  /// Pairs in token files that were made of `files` text files. `start`: see
  /// Corpus.
  TrainingPairs(TokenFiles tokens, int64_t files, int32_t start);

  int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  int64_t dropped_long() const;
  int64_t dropped_empty() const;

  /// The batches of an epoch; this object must outlive the plan.
  EpochPlan Plan(const LargeTextConfig& config, const BatchOptions& options,
                 uint64_t seed, int epoch) const;
  /// Copies these pairs, with their `lines` if they are in memory.
  Corpus Read(std::span<const int64_t> pairs) const;
  Batch BatchOf(std::span<const int64_t> pairs) const;
  /// Number of target tokens, including </s>.
  int64_t TargetTokens(std::span<const int64_t> pairs) const;

 private:
  Corpus ReadTokens(std::span<const int64_t> pairs) const;

  Corpus pairs_;
  std::optional<TokenFiles> tokens_;
  std::vector<int64_t> ends_;
};

/// Index after the last pair of each file, for files with these numbers of
/// lines.
std::vector<int64_t> EndsOfFiles(const Corpus& pairs,
                                 std::span<const int64_t> lines_of_files);

}  // namespace heed

#endif  // HEED_TASKS_TRAINING_PAIRS_H_
