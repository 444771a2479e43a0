#include "heed/tasks/training_pairs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/tasks/target_loss.h"

namespace heed {

TrainingPairs::TrainingPairs(Corpus pairs, std::vector<int64_t> ends)
    : pairs_(std::move(pairs)), ends_(std::move(ends)) {}

TrainingPairs::TrainingPairs(TokenFiles tokens, int64_t files, int32_t start)
    : tokens_(std::move(tokens)), ends_(tokens_->CorpusEnds(files)) {
  pairs_.start = start;
}

Corpus TrainingPairs::ReadTokens(std::span<const int64_t> pairs) const {
  Corpus read = tokens_->Read(pairs);
  read.start = pairs_.start;
  return read;
}

int64_t TrainingPairs::dropped_long() const {
  return tokens_ ? tokens_->dropped_long() : pairs_.dropped_long;
}

int64_t TrainingPairs::dropped_empty() const {
  return tokens_ ? tokens_->dropped_empty() : pairs_.dropped_empty;
}

EpochPlan TrainingPairs::Plan(const LargeTextConfig& config,
                              const BatchOptions& options, uint64_t seed,
                              int epoch) const {
  PlannedPairs planned = PairsOf(pairs_);
  if (tokens_) {
    planned.length = [this](int64_t pair) { return tokens_->LengthOf(pair); };
    planned.measured = [this] { tokens_->Release(); };
    planned.window = config.shuffle_window;
  }
  planned.ends = ends_;
  planned.weights = config.Weights(ends_.size());
  return PlanPairs(planned, options, seed, epoch);
}

Corpus TrainingPairs::Read(std::span<const int64_t> pairs) const {
  if (tokens_) return ReadTokens(pairs);
  Corpus read;
  read.start = pairs_.start;
  for (const int64_t pair : pairs) {
    const auto i = static_cast<size_t>(pair);
    read.source.push_back(pairs_.source[i]);
    read.target.push_back(pairs_.target[i]);
    if (!pairs_.lines.empty()) read.lines.push_back(pairs_.lines[i]);
  }
  return read;
}

Batch TrainingPairs::BatchOf(std::span<const int64_t> pairs) const {
  if (!tokens_) return MakeBatch(pairs_, pairs);
  std::vector<int64_t> places(pairs.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  Batch batch = MakeBatch(ReadTokens(pairs), places);
  batch.indices.assign(pairs.begin(), pairs.end());
  return batch;
}

int64_t TrainingPairs::TargetTokens(std::span<const int64_t> pairs) const {
  if (!tokens_) return heed::TargetTokens(pairs_, pairs);
  int64_t tokens = 0;
  for (const int64_t pair : pairs) tokens += tokens_->LengthOf(pair).target;
  return tokens;
}

std::vector<int64_t> EndsOfFiles(const Corpus& pairs,
                                 std::span<const int64_t> lines_of_files) {
  std::vector<int64_t> ends;
  int64_t lines = 0;
  for (const int64_t of_file : lines_of_files) {
    lines += of_file;
    ends.push_back(std::ranges::lower_bound(pairs.lines, lines) -
                   pairs.lines.begin());
  }
  return ends;
}

}  // namespace heed
