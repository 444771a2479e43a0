// How an agent in a labyrinth learns, by rewards of hard choices or by the
// gradient of a soft relaxation, and how noisy that is.
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

/// What is subtracted from a reward; soft needs no rewards.
enum class LabyrinthMethod : uint8_t { kNone, kMoving, kLearned, kSoft };
constexpr auto WordsOf(LabyrinthMethod) {
  return std::array{"none", "moving", "learned", "soft"};
}

struct LabyrinthOptions {
  int64_t episodes = 16;  ///< of an update
  double learning_rate = 0.01;
  double discount = 0.95;  ///< γ of a step, of the soft relaxation
  uint64_t seed = 1;
};

/// −steps / the most that are allowed: −1 for an episode that is not solved.
double LabyrinthReward(const LabyrinthAgent& agent, const MazeEpisode& episode);

/// Σ −log π (R − b) + (b_learned − R)² over the choices of episodes, divided by
/// their number; b is 0, `moving` or the learned one.
Var LabyrinthLoss(const MazeRollout& rollout,
                  const std::vector<double>& rewards, LabyrinthMethod method,
                  double moving);

class LabyrinthLearner {
 public:
  LabyrinthLearner(LabyrinthAgent& agent, LabyrinthMethod method,
                   const LabyrinthOptions& options);

  /// One update.
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

/// Variance of the gradient of one episode, summed over the parameters of the
/// policy, without baseline, with the moving and with the learned one: of the
/// same episodes.
std::array<double, 3> GradientVariances(LabyrinthAgent& agent, double moving,
                                        int draws, uint64_t seed);

/// Returns γ^steps along the line from some parameters to others.
struct ObjectiveSlice {
  std::vector<double> at;    ///< 0: the former, 1: the latter
  std::vector<double> hard;  ///< of the likeliest choices
  std::vector<double> soft;  ///< of the soft relaxation
};

/// From −0.5 to 1.5, see PutBetween. The agent has `to` afterwards.
ObjectiveSlice SliceOfObjective(LabyrinthAgent& agent,
                                const std::vector<Tensor>& from,
                                const std::vector<Tensor>& to, double discount,
                                int points);

}  // namespace heed

#endif  // HEED_COURSE_LABYRINTH_TRAINING_H_
