// Training of labyrinth agents by rewards of hard choices or by the gradient of
// a soft relaxation, and the variance of these gradients.
#ifndef HEED_COURSE_LABYRINTH_TRAINING_H_
#define HEED_COURSE_LABYRINTH_TRAINING_H_

#include <array>
#include <cstdint>
#include <vector>

#include "course/labyrinth_agent.h"
#include "heed/base/config.h"
#include "heed/ops/reinforce.h"
#include "heed/train/optimizer.h"

namespace heed {

/// Baseline that is subtracted from a reward. kSoft trains without rewards.
enum class LabyrinthMethod : uint8_t { kNone, kMoving, kLearned, kSoft };
constexpr auto WordsOf(LabyrinthMethod) {
  return std::array{"none", "moving", "learned", "soft"};
}

struct LabyrinthOptions {
  int64_t episodes = 16;  ///< per update
  double learning_rate = 0.01;
  double discount = 0.95;  ///< γ per step, of the soft relaxation
  uint64_t seed = 1;
};

/// Returns −steps / maximum steps; −1 for an episode that did not reach the
/// exit.
double LabyrinthReward(const LabyrinthAgent& agent, const MazeEpisode& episode);

/// Returns Σ −log π (R − b) + (b_learned − R)² over the choices of all
/// episodes, divided by the number of episodes. b is 0, `moving` or the learned
/// baseline.
Var LabyrinthLoss(const MazeRollout& rollout,
                  const std::vector<double>& rewards, LabyrinthMethod method,
                  double moving);

class LabyrinthLearner {
 public:
  LabyrinthLearner(LabyrinthAgent& agent, LabyrinthMethod method,
                   const LabyrinthOptions& options);

  /// Performs one update.
  void Step();
  double moving() const { return moving_.value(); }

 private:
  LabyrinthAgent& agent_;
  LabyrinthMethod method_;
  LabyrinthOptions options_;
  OptimizerConfig config_;
  Optimizer optimizer_;
  MovingBaseline moving_;
  int64_t step_ = 0;
};

/// Returns the variance of the gradient of one episode, summed over the
/// parameters of the policy: without baseline, with the moving and with the
/// learned one. All three use the same episodes.
std::array<double, 3> GradientVariances(LabyrinthAgent& agent, double moving,
                                        int draws, uint64_t seed);

/// Returns γ^steps along the line between two parameter states.
struct ObjectiveSlice {
  std::vector<double> at;    ///< 0: first state, 1: second state
  std::vector<double> hard;  ///< with the most probable choices
  std::vector<double> soft;  ///< with the soft relaxation
};

/// Evaluates the line from −0.5 to 1.5, see PutBetween. The agent has the
/// parameters `to` afterwards.
ObjectiveSlice SliceOfObjective(LabyrinthAgent& agent,
                                const std::vector<Tensor>& from,
                                const std::vector<Tensor>& to, double discount,
                                int points);

}  // namespace heed

#endif  // HEED_COURSE_LABYRINTH_TRAINING_H_
