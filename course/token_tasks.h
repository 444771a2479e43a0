// Short sequences whose answers are known, and a layer of attention that learns
// them.
#ifndef HEED_COURSE_TOKEN_TASKS_H_
#define HEED_COURSE_TOKEN_TASKS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "course/token_attention.h"
#include "heed/base/rng.h"
#include "heed/train/optimizer.h"

namespace heed {

/// Sequences and the tokens that their positions should answer with.
struct TokenBatch {
  Tensor tokens;   // i32 [B, S]
  Tensor lengths;  // i32 [B]; what stands behind them is not read
  Tensor wanted;   // i32 [B, S, K], −1 where nothing is wanted
};

struct TokenTask {
  std::string name;
  std::vector<std::string> vocabulary;  ///< V tokens as they are shown
  int64_t length = 0;                   ///< S
  int64_t answers = 1;                  ///< K, of each position
  std::function<TokenBatch(int64_t count, Rng& rng)> draw;
};

/// Words of twelve random letters, written backwards.
TokenTask BackwardsTask();
/// The same words; each position answers with four letters: the one that
/// mirrors it, the one before, the one behind (both in a circle) and the first.
TokenTask FourLettersTask();
/// Sentences as "the old dog sees the cat"; each word answers with the one that
/// it depends on: "the" and adjectives with their noun, nouns with the verb,
/// the verb with itself.
TokenTask DependenciesTask();
/// The same sentences; each word answers with the verb.
TokenTask VerbTask();

/// The same batch with the tokens of each sequence in a random order; what each
/// token should answer goes with it.
TokenBatch Shuffled(const TokenBatch& batch, Rng& rng);
/// The same, with only so many random pairs of each sequence swapped.
TokenBatch Swapped(const TokenBatch& batch, int swaps, Rng& rng);

/// What may be looked at: what does not stand behind an end.
Mask RealTokens(const TokenBatch& batch);

/// Sequence `row` as its tokens are shown.
std::vector<std::string> TokensOf(const TokenTask& task,
                                  const TokenBatch& batch, int64_t row);
/// The first of the longest sequences.
int64_t LongestRow(const TokenBatch& batch);

/// A layer for the task, of `features` for a query, a key and a value.
TokenAttentionOptions LayerFor(const TokenTask& task, int64_t features);

struct TokenScore {
  double accuracy = 0;  // share of right answers
  double loss = 0;      // mean −log p(answer), natural logarithm
};
TokenScore ScoreTokens(const TokenAttention& model, const TokenBatch& batch,
                       double temperature = 1);

struct TokenTraining {
  int steps = 400;  // of `batch` sequences each
  int64_t batch = 64;
  double learning_rate = 3e-3;
  /// "cosine", or "constant" for runs that end when enough is learned.
  Schedule schedule = Schedule::kCosine;
  uint64_t seed = 1;
};

/// A layer and what trains it: Adam, a twentieth of the steps to warm up.
/// The same seed gives the same bits with any number of threads.
class TokenLearner {
 public:
  TokenLearner(const TokenTask& task, const TokenAttentionOptions& layer,
               const TokenTraining& training);

  /// One update. Returns the norm of the gradient.
  double Step();
  /// All that are left.
  void Train();
  /// What it has not seen: the same for all models of a seed.
  TokenBatch Test(int64_t count) const;

  const TokenAttention& model() const { return model_; }
  int64_t steps() const { return step_; }

 private:
  TokenTask task_;
  TokenTraining training_;
  OptimizerConfig config_;
  ParameterSet parameters_;
  TokenAttention model_;
  Optimizer optimizer_;
  Rng rng_;
  int64_t step_ = 0;
};

}  // namespace heed

#endif  // HEED_COURSE_TOKEN_TASKS_H_
