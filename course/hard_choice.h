// One task that is learned by soft attention, by samples and rewards, and by a
// relaxation of samples.
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

/// How the weights of items come from scores, and what is subtracted from the
/// reward of a sampled one.
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

/// Questions: 2 to 12 items with a key and a value each, and a key, whose value
/// is asked for.
struct ChoiceBatch {
  Tensor keys;     // i32 [B, S], different ones in a row
  Tensor values;   // i32 [B, S]
  Tensor lengths;  // i32 [B]: items
  Tensor asked;    // i32 [B]: a key of the row
  Tensor answers;  // i32 [B]: its value
};

ChoiceBatch MakeChoices(int64_t questions, uint64_t seed);

/// e_s = (Q a)ᵀ K k_s / √d of the embedded keys, c = Σ α_s v_s, scores of
/// values W c + b; and a baseline of the number of items.
class ChoiceModel {
 public:
  explicit ChoiceModel(uint64_t seed);

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }

  /// Shapes: result [B, 1, S], −infinity where there is no item.
  Var Scores(const Context& ctx, const ChoiceBatch& batch) const;
  /// log p of the answers. Shapes: weights [B, 1, S], result [B].
  Var LogAnswer(const Context& ctx, const ChoiceBatch& batch,
                const Var& weights) const;
  /// b = w tanh(V log n + v) + u. Shapes: result [B].
  Var Baseline(const Context& ctx, const ChoiceBatch& batch) const;

  /// Whether a parameter moves the scores.
  static bool MovesScores(const std::string& parameter);

 private:
  Var LogValues(const Context& ctx, const ChoiceBatch& batch,
                const Var& weights) const;
  friend double ChoiceAccuracy(const ChoiceModel& model,
                               const ChoiceBatch& batch, bool soft);

  ParameterSet parameters_;
  Embedding asked_, keys_, values_;
  Linear output_, hidden_, baseline_;
};

/// −mean log p of the answers, and of samples −mean (R − b) log π with R = log
/// p of the answer, and of a learned b also mean (b − R)². `chances` draws;
/// `temperature` is of gumbel, `moving` of the moving baseline. `mean_reward`
/// gets the mean R.
Var ChoiceLoss(const ChoiceModel& model, const ChoiceBatch& batch,
               ChoiceMethod method, double temperature, double moving,
               Rng* chances, Tape* tape, double* mean_reward);

/// Share of questions whose answer has the largest score, with the softmax, or
/// with the item of the largest score alone. Units: percent.
double ChoiceAccuracy(const ChoiceModel& model, const ChoiceBatch& batch,
                      bool soft);

struct ChoiceTraining {
  int steps = 600;
  int64_t questions = 32;  ///< of a step
  double learning_rate = 0.01;
  double first_temperature = 2;  ///< of gumbel, falling by equal factors to
  double last_temperature = 0.3;
  double enough = 95;       ///< accuracy to be reached. Units: percent
  int64_t every = 10;       ///< steps between measurements
  int variance_after = 50;  ///< steps
  int draws = 200;          ///< gradients whose variance is measured
  uint64_t seed = 1;
};

struct ChoiceRun {
  std::vector<double> accuracy;  ///< after each `every` steps. Units: percent
  std::optional<int64_t> enough_at;  ///< steps until it was reached
  /// Of the gradient of one question without, with the moving and with the
  /// learned baseline, summed over the parameters of the scores; measured on
  /// the way of the learned one. The same questions and samples for all.
  std::array<double, 3> variances = {};
};

ChoiceRun TrainChoice(ChoiceModel& model, ChoiceMethod method,
                      const ChoiceTraining& training);

/// The mean p of the answers while one number, θ, moves the scores' parameters
/// from some values (0) to others (1).
struct ChoiceSlice {
  std::vector<double> theta;
  std::vector<double> argmax;   ///< of the highest-scoring item
  std::vector<double> sampled;  ///< the mean of samples, drawn anew at each θ
  std::vector<double> soft;
  std::vector<std::vector<double>> gumbel;  ///< of each temperature
};

/// At `points` values from −0.5 to 1.5. Gumbel has one noise, the same at all
/// θ. The model has `to` afterwards.
ChoiceSlice SliceOfChoices(ChoiceModel& model, const std::vector<Tensor>& from,
                           const std::vector<Tensor>& to,
                           const ChoiceBatch& batch,
                           const std::vector<double>& temperatures, int points,
                           int samples, uint64_t seed);

/// The largest difference of neighbours.
double LargestJump(const std::vector<double>& curve);

}  // namespace heed

#endif  // HEED_COURSE_HARD_CHOICE_H_
