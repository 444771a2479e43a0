// Recall at a distance: a fact, a long distractor text, and a question.
#ifndef HEED_COURSE_RECALL_H_
#define HEED_COURSE_RECALL_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "heed/attention/attention.h"
#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Mechanism that carries a fact to the question.
enum class RecallKind : uint8_t { kRecurrent, kBoth, kAttention };
constexpr auto WordsOf(RecallKind) {
  return std::array{"recurrent net", "recurrent net + attention",
                    "attention alone"};
}

inline constexpr int64_t kRecallValues = 16;
inline constexpr int64_t kRecallFacts = 2;

/// Sequences of one length. A step has two tokens: key and value of a fact, key
/// and mark of the question, or a distractor word and the empty token.
struct RecallBatch {
  Tensor first;    // i32 [T, B]
  Tensor second;   // i32 [T, B]
  Tensor answers;  // i32 [B], below kRecallValues
};

/// Makes sequences: distractors, kRecallFacts facts with distinct keys,
/// distractors, and the question. The question is `distance` steps after the
/// fact that it refers to. Throws: ConfigError for a distance below
/// kRecallFacts.
RecallBatch MakeRecallBatch(int64_t sequences, int64_t distance, uint64_t seed);

/// Model: x_t is the sum of both token embeddings, without positions; u_t =
/// GRU(x)_t or x_t. Attention gives c = Σ_t a_t V u_t with a = softmax((Q u_T)ᵀ
/// K u / √d), except for the plain recurrent net. Scores of values: W [c, u_T].
class RecallModel {
 public:
  RecallModel(RecallKind kind, uint64_t seed);

  ParameterSet& parameters() { return parameters_; }
  RecallKind kind() const { return kind_; }

  /// Returns scores of values at the last step. Shapes: result [B,
  /// kRecallValues].
  Var Scores(const Context& ctx, const RecallBatch& batch) const;
  /// Returns scores of values at every step, by causal attention of T queries
  /// to T keys. Shapes: result [B, T, kRecallValues].
  Tensor AllScores(const RecallBatch& batch) const;

 private:
  Var States(const Context& ctx, const RecallBatch& batch) const;
  Var Answer(const Context& ctx, const Var& asking, const Memory& memory) const;
  Memory Remember(const Context& ctx, const Var& states,
                  const Mask& mask) const;

  RecallKind kind_;
  ParameterSet parameters_;
  Embedding tokens_;
  std::optional<Recurrent> cell_;
  std::optional<Linear> query_, key_, value_;
  std::optional<Attention> attention_;
  Linear output_;
};

struct RecallTraining {
  int steps = 2500;
  int64_t sequences = 32;  ///< of a step
  int64_t longest = 1000;  ///< distance at the end of the curriculum
  double learning_rate = 5e-3;
  uint64_t seed = 1;
};

/// Trains with Adam on −log p of the answers. The maximum distance grows
/// exponentially during the first half of the steps. Distances up to it are
/// drawn log-uniformly. `after` receives each step and its loss.
void TrainRecall(RecallModel& model, const RecallTraining& training,
                 const std::function<void(int64_t step, double loss)>& after);

/// Returns the share of `sequences` questions answered correctly. Units:
/// percent.
double RecallAccuracy(const RecallModel& model, int64_t distance,
                      int64_t sequences, uint64_t seed);

/// Returns the peak memory of AllScores for one sequence with the question
/// `distance` steps after its fact. Units: bytes.
int64_t RecallPeakBytes(const RecallModel& model, int64_t distance);

}  // namespace heed

#endif  // HEED_COURSE_RECALL_H_
