// Short sequences with known answers, and the training of an attention layer on
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

/// Sequences and the target tokens of their positions.
struct TokenBatch {
  Tensor tokens;   // i32 [B, S]
  Tensor lengths;  // i32 [B]; later positions are padding
  Tensor wanted;   // i32 [B, S, K], −1 without a target
};

struct TokenTask {
  std::string name;
  std::vector<std::string> vocabulary;  ///< V tokens as they are shown
  int64_t length = 0;                   ///< S
  int64_t answers = 1;                  ///< K, of each position
  std::function<TokenBatch(int64_t count, Rng& rng)> draw;
};

/// Words of twelve random letters, reversed.
TokenTask BackwardsTask();
/// Words of twelve random letters. Each position answers with four letters: the
/// mirrored one, the one before, the one after (both cyclic) and the first.
TokenTask FourLettersTask();
/// Sentences such as "the old dog sees the cat". Each word answers with its
/// head: "the" and adjectives with their noun, nouns with the verb, the verb
/// with itself.
TokenTask DependenciesTask();
/// Sentences such as "the old dog sees the cat". Each word answers with the
/// verb.
TokenTask VerbTask();

/// Returns the batch with the tokens of each sequence in a random order. Each
/// token keeps its target.
TokenBatch Shuffled(const TokenBatch& batch, Rng& rng);
/// Returns the batch with `swaps` random pairs of each sequence swapped.
TokenBatch Swapped(const TokenBatch& batch, int swaps, Rng& rng);

/// Mask that hides padding.
Mask RealTokens(const TokenBatch& batch);

/// Returns the tokens of sequence `row` as text.
std::vector<std::string> TokensOf(const TokenTask& task,
                                  const TokenBatch& batch, int64_t row);
/// Returns the index of the first sequence of maximum length.
int64_t LongestRow(const TokenBatch& batch);

/// Options of a layer for the task with queries, keys and values of `features`.
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
  /// "cosine", or "constant" for training that stops at a goal.
  Schedule schedule = Schedule::kCosine;
  uint64_t seed = 1;
};

/// A layer and its training by Adam, with warm-up over a twentieth of the
/// steps. Results are bit-identical for a seed with any number of threads.
class TokenLearner {
 public:
  TokenLearner(const TokenTask& task, const TokenAttentionOptions& layer,
               const TokenTraining& training);

  /// Performs one update. Returns the norm of the gradient.
  double Step();
  /// Performs the remaining updates.
  void Train();
  /// Returns held-out sequences, equal for all models of a seed.
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
