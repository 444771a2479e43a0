// Who walks in a maze and sees no more than the walls around: by hard choices,
// and as a mass that goes all ways at once.
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

/// From the start to the exit, or until the steps are used up.
struct MazeEpisode {
  std::vector<MazeChoice> choices;
  std::vector<int64_t> cells;  ///< that were walked through, the start first
  bool solved = false;
  int64_t steps() const { return std::ssize(cells) - 1; }
};

/// Several episodes and what their gradients are made of; of choices that an
/// episode did not make, zeros.
struct MazeRollout {
  std::vector<MazeEpisode> episodes;
  Var log_probability;  // [T, B]
  Var baseline;         // [T, B], of the state before each choice
  Tensor made;          // [T, B]: 1 where there was a choice
};

/// h_k = GRU([walls around, last move], h_{k−1}), π = softmax(W h_k) over the
/// ways that a crossing has, baseline b_k = w h_k of a constant h_k.
class LabyrinthAgent {
 public:
  static constexpr int64_t kSeen = 9 + kDirections;

  /// `most_steps`: that an episode may take; 0: four times the cells.
  LabyrinthAgent(const Maze& maze, uint64_t seed, DType dtype = DType::kF32,
                 int64_t units = 32, int64_t most_steps = 0);

  const Maze& maze() const { return maze_; }
  const MazeCrossings& crossings() const { return crossings_; }
  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }
  int64_t most_steps() const { return most_steps_; }

  /// Episodes by drawn choices. `given`: choices in the place of drawn ones,
  /// the same for all.
  MazeRollout Walk(const Context& ctx, int64_t episodes, uint64_t seed,
                   std::span<const int> given = {}) const;
  /// The episode of the likeliest choices.
  MazeEpisode Likeliest() const;

  /// Σ_k Σ m γ^steps of what reaches the exit at choice k, where mass goes all
  /// ways at once, each as much as π says: m_{k+1}(e') = Σ m_k(e) π(e → e')
  /// γ^steps, and a state where ways come together is their mean, weighted by
  /// mass, which is attention. It is what an agent with hard choices reaches in
  /// the mean, where no ways come together, and it can be differentiated.
  /// Result [].
  Var SoftReturn(const Context& ctx, double discount) const;
  /// γ^steps of an episode, 0 for one that is not solved.
  static double Return(const MazeEpisode& episode, double discount);

 private:
  struct Step {
    Var state, log_policy, baseline;
  };
  /// Shapes: seen [B, kSeen], state [B, H]; barred [B, 4], of which those
  /// are large below zero that are no way.
  Step Choose(const Context& ctx, const Tensor& seen, const Tensor& barred,
              const Var& state) const;
  MazeRollout Run(const Context& ctx, int64_t episodes, uint64_t seed,
                  std::span<const int> given, bool likeliest) const;
  Tensor Zeros(const Shape& shape) const;

  Maze maze_;
  MazeCrossings crossings_;
  DType dtype_;
  int64_t most_steps_;
  ParameterSet parameters_;
  Recurrent cell_;
  Linear move_, baseline_;
  Tensor seen_;    // [crossings, kSeen]
  Tensor barred_;  // [crossings, 4]
};

}  // namespace heed

#endif  // HEED_COURSE_LABYRINTH_AGENT_H_
