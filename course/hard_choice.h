// One task learned by soft attention, by REINFORCE, and by the Gumbel
// relaxation.
#ifndef HEED_COURSE_HARD_CHOICE_H_
#define HEED_COURSE_HARD_CHOICE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/config.h"
#include "heed/base/rng.h"
#include "heed/nn/linear.h"

namespace heed {

/// How the weights of items follow from scores, and which baseline is
/// subtracted from the reward of a sampled item.
enum class ChoiceMethod : uint8_t {
  kSoft,
  kGumbel,
  kNoBaseline,
  kMovingBaseline,
  kLearnedBaseline
};
constexpr auto WordsOf(ChoiceMethod) {
  return std::array{"soft", "gumbel", "hard, no baseline",
                    "hard, moving baseline", "hard, learned baseline"};
}
inline constexpr size_t kChoiceMethods = 5;

/// Questions: 2 to 12 items with a key and a value each, and a key whose value
/// is the answer.
struct ChoiceBatch {
  Tensor keys;     // i32 [B, S], distinct within a row
  Tensor values;   // i32 [B, S]
  Tensor lengths;  // i32 [B]: number of items
  Tensor query;    // i32 [B]: key of the question
  Tensor answers;  // i32 [B]: value of that key
};

ChoiceBatch MakeChoices(int64_t questions, uint64_t seed);

/// Model: e_s = (Q a)ᵀ K k_s / √d for embedded keys, c = Σ α_s v_s, scores of
/// values W c + b, and a baseline that depends on the number of items.
class ChoiceModel {
 public:
  explicit ChoiceModel(uint64_t seed);

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  /// Returns e. Shapes: result [B, 1, S], −infinity at padding.
  Var Scores(const Context& ctx, const ChoiceBatch& batch) const;
  /// Returns log p of the answers. Shapes: weights [B, 1, S], result [B].
  Var LogAnswer(const Context& ctx, const ChoiceBatch& batch,
                const Var& weights) const;
  /// Returns b = w tanh(V log n + v) + u for n items. Shapes: result [B].
  Var Baseline(const Context& ctx, const ChoiceBatch& batch) const;

  /// True if the scores depend on the parameter.
  static bool MovesScores(const std::string& parameter);

 private:
  Var LogValues(const Context& ctx, const ChoiceBatch& batch,
                const Var& weights) const;
  friend double ChoiceAccuracy(const ChoiceModel& model,
                               const ChoiceBatch& batch, bool soft);

  ParameterSet parameters_;
  Embedding query_, keys_, values_;
  Linear output_, hidden_, baseline_;
};

/// Returns the loss: −mean log p of the answers, or for sampled choices −mean
/// (R − b) log π with R = log p of the answer. A learned b adds mean (b − R)².
/// `chances`: random numbers; `temperature`: of gumbel; `moving`: value of the
/// moving baseline. `mean_reward` receives the mean R.
Var ChoiceLoss(const ChoiceModel& model, const ChoiceBatch& batch,
               ChoiceMethod method, double temperature, double moving,
               Rng* chances, Tape* tape, double* mean_reward);

/// Returns the share of questions whose answer has the largest score, with
/// softmax weights or with the argmax item alone. Units: percent.
double ChoiceAccuracy(const ChoiceModel& model, const ChoiceBatch& batch,
                      bool soft);

struct ChoiceTraining {
  int steps = 600;
  int64_t questions = 32;  ///< per step
  double learning_rate = 0.01;
  double first_temperature = 2;  ///< of gumbel; decays exponentially
  double last_temperature = 0.3;
  double enough = 95;       ///< target accuracy. Units: percent
  int64_t every = 10;       ///< steps between evaluations
  int variance_after = 50;  ///< step of the variance measurement
  int draws = 200;          ///< gradients in the variance measurement
  uint64_t seed = 1;
};

struct ChoiceRun {
  std::vector<double> accuracy;  ///< after every `every` steps. Units: percent
  std::optional<int64_t> enough_at;  ///< first step at or above `enough`
  /// Variance of the gradient of one question without baseline, with the moving
  /// and with the learned baseline, summed over the parameters of the scores.
  /// Measured on the same questions and samples, in training with the learned
  /// baseline.
  std::array<double, 3> variances = {};
};

ChoiceRun TrainChoice(ChoiceModel& model, ChoiceMethod method,
                      const ChoiceTraining& training);

/// Mean p of the answers while θ interpolates the parameters of the scores
/// linearly between two states (0 and 1).
struct ChoiceSlice {
  std::vector<double> theta;
  std::vector<double> argmax;   ///< of the highest-scoring item
  std::vector<double> sampled;  ///< mean over samples, redrawn at each θ
  std::vector<double> soft;
  std::vector<std::vector<double>> gumbel;  ///< for each temperature
};

/// Evaluates at `points` values of θ from −0.5 to 1.5. Gumbel noise is drawn
/// once for all θ. The model has the parameters `to` afterwards.
ChoiceSlice SliceOfChoices(ChoiceModel& model, const std::vector<Tensor>& from,
                           const std::vector<Tensor>& to,
                           const ChoiceBatch& batch,
                           const std::vector<double>& temperatures, int points,
                           int samples, uint64_t seed);

/// Returns the largest absolute difference of neighbours.
double LargestJump(const std::vector<double>& curve);

}  // namespace heed

#endif  // HEED_COURSE_HARD_CHOICE_H_
