// An agent in a maze that sees only the walls around it. It makes hard choices,
// or moves as a probability mass along all ways (soft relaxation).
#ifndef HEED_COURSE_LABYRINTH_AGENT_H_
#define HEED_COURSE_LABYRINTH_AGENT_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "course/maze.h"
#include "heed/autograd/context.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// A choice at a crossing.
struct MazeChoice {
  int64_t crossing = 0;
  int move = 0;
  std::array<double, kDirections> probabilities = {};
};

/// An episode from the start to the exit, or until the maximum number of steps.
struct MazeEpisode {
  std::vector<MazeChoice> choices;
  std::vector<int64_t> cells;  ///< visited cells, the start first
  bool solved = false;
  int64_t steps() const { return std::ssize(cells) - 1; }
};

/// Several episodes and the terms of their gradients. Entries are zero for
/// choices that an episode did not make.
struct MazeRollout {
  std::vector<MazeEpisode> episodes;
  Var log_probability;  // [T, B]
  Var baseline;         // [T, B], for the state before each choice
  Tensor made;          // [T, B]: 1 where a choice was made
};

/// h_k = GRU([walls around, last move], h_{k−1}), π = softmax(W h_k) over the
/// open ways of a crossing, and baseline b_k = w h_k, without gradient through
/// h_k.
class LabyrinthAgent {
 public:
  static constexpr int64_t kSeen = 9 + kDirections;

  /// `max_steps`: maximum steps of an episode; 0: four times the cells.
  LabyrinthAgent(const Maze& maze, uint64_t seed, DType dtype = DType::kF32,
                 int64_t units = 32, int64_t max_steps = 0);

  const Maze& maze() const { return maze_; }
  const MazeCrossings& crossings() const { return crossings_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }
  int64_t max_steps() const { return max_steps_; }

  /// Runs episodes with sampled choices. `given`: choices to make instead, the
  /// same for all episodes.
  MazeRollout Walk(const Context& ctx, int64_t episodes, uint64_t seed,
                   std::span<const int> given = {}) const;
  /// Runs the episode of the most probable choices.
  MazeEpisode MostProbable() const;

  /// Returns Σ_k Σ m γ^steps of the mass that reaches the exit at choice k.
  /// Mass flows along all ways in proportion to π: m_{k+1}(e') = Σ m_k(e) π(e →
  /// e') γ^steps. Where ways merge, the state is the mean weighted by mass,
  /// which is attention. Where no ways merge, the result is the expected return
  /// of hard choices, and it is differentiable. Result [].
  Var SoftReturn(const Context& ctx, double discount) const;
  /// Returns γ^steps of an episode; 0 if it did not reach the exit.
  static double Return(const MazeEpisode& episode, double discount);

 private:
  struct Step {
    Var state, log_policy, baseline;
  };
  /// Shapes: seen [B, kSeen], state [B, H]; barred [B, 4], a large negative
  /// number for directions without a way.
  Step Choose(const Context& ctx, const Tensor& seen, const Tensor& barred,
              const Var& state) const;
  MazeRollout Run(const Context& ctx, int64_t episodes, uint64_t seed,
                  std::span<const int> given, bool greedy) const;
  Tensor Zeros(const Shape& shape) const;

  Maze maze_;
  MazeCrossings crossings_;
  DType dtype_;
  int64_t max_steps_;
  ParameterSet parameters_;
  Recurrent cell_;
  Linear move_, baseline_;
  Tensor seen_;    // [crossings, kSeen]
  Tensor barred_;  // [crossings, 4]
};

}  // namespace heed

#endif  // HEED_COURSE_LABYRINTH_AGENT_H_
