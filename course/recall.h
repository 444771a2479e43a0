// Recall at a distance: a fact, much else, and a question about the fact.
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

/// What carries a fact to the question.
enum class RecallKind : uint8_t { kRecurrent, kBoth, kAttention };
constexpr auto WordsOf(RecallKind) {
  return std::array{"recurrent net", "recurrent net + attention",
                    "attention alone"};
}

inline constexpr int64_t kRecallValues = 16;
inline constexpr int64_t kRecallFacts = 2;

/// Sequences of one length. A step has two tokens: key and value of a fact, key
/// and mark of the question, or a word of other text and nothing.
struct RecallBatch {
  Tensor first;    // i32 [T, B]
  Tensor second;   // i32 [T, B]
  Tensor answers;  // i32 [B], below kRecallValues
};

/// Some steps of other text, kRecallFacts facts of different keys, other text,
/// and the question, `distance` steps behind the fact that it asks for.
/// Throws: ConfigError for a distance below kRecallFacts.
RecallBatch MakeRecallBatch(int64_t sequences, int64_t distance, uint64_t seed);

/// Embeddings x_t, the sum of those of both tokens, without positions; states
/// u_t = GRU(x)_t or x_t; c = Σ_t a_t V u_t with a = softmax((Q u_T)ᵀ K u / √d)
/// unless it is the recurrent net; scores of values W [c, u_T].
class RecallModel {
 public:
  RecallModel(RecallKind kind, uint64_t seed);

  ParameterSet& parameters() { return parameters_; }
  RecallKind kind() const { return kind_; }

  /// What the last step answers. Shapes: result [B, kRecallValues].
  Var Scores(const Context& ctx, const RecallBatch& batch) const;
  /// The same of each step, which sees those before it: causal attention of T
  /// queries to T keys. Shapes: result [B, T, kRecallValues].
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
  int64_t longest = 1000;  ///< distance, at the end of the curriculum
  double learning_rate = 5e-3;
  uint64_t seed = 1;
};

/// Adam on log p of the answers. The longest distance grows by equal factors
/// for the first half of the steps; distances up to it are drawn with equal
/// chance of equal factors. `after` gets each step and its loss.
void TrainRecall(RecallModel& model, const RecallTraining& training,
                 const std::function<void(int64_t step, double loss)>& after);

/// Share of `sequences` questions that are answered. Units: percent.
double RecallAccuracy(const RecallModel& model, int64_t distance,
                      int64_t sequences, uint64_t seed);

/// The most memory that AllScores of one sequence takes at a time, whose
/// question is `distance` steps behind its fact. Units: bytes.
int64_t RecallPeakBytes(const RecallModel& model, int64_t distance);

}  // namespace heed

#endif  // HEED_COURSE_RECALL_H_
