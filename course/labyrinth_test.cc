#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "course/labyrinth_agent.h"
#include "course/labyrinth_picture.h"
#include "course/labyrinth_training.h"
#include "course/maze.h"
#include "course/parameter_line.h"
#include "heed/autograd/gradient_check.h"
#include "heed/base/at.h"
#include "heed/base/errors.h"
#include "heed/ops/elementwise.h"
#include "heed/render/png.h"

namespace heed {
namespace {

TEST(Mazes, AreTreesThatReachEveryCell) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Maze maze = Maze::Make(7, seed);
    int64_t open = 0;
    for (int64_t cell = 0; cell < maze.cells(); ++cell) {
      for (int d = 0; d < kDirections; ++d) {
        if (!maze.Open(cell, d)) continue;
        ++open;
        const int64_t next = maze.Neighbour(cell, d);
        ASSERT_GE(next, 0);
        EXPECT_TRUE(maze.Open(next, Opposite(d)));
      }
    }
    EXPECT_EQ(open, 2 * (maze.cells() - 1));
    for (const int64_t steps : maze.Distances()) EXPECT_GE(steps, 0);
    EXPECT_GE(maze.shortest(), 12);
  }
}

TEST(Mazes, AreMadeByNumber) {
  EXPECT_EQ(Maze::Make(7, 3).Distances(), Maze::Make(7, 3).Distances());
  EXPECT_NE(Maze::Make(7, 3).Distances(), Maze::Make(7, 4).Distances());
  EXPECT_THROW(Maze::Make(1, 3), ConfigError);
}

/// Makes a 3 × 3 maze with two relevant crossings:
///   0-1-2
///   |
///   3-4-5
///     |
///   6-7-8
Maze TwoChoices() {
  std::vector<std::array<bool, kDirections>> open(9);
  const auto join = [&](size_t a, size_t b, size_t direction) {
    open[a][direction] = true;
    open[b][(direction + 2) % 4] = true;
  };
  join(0, 1, 1);
  join(1, 2, 1);
  join(0, 3, 2);
  join(3, 4, 1);
  join(4, 5, 1);
  join(4, 7, 2);
  join(7, 6, 3);
  join(7, 8, 1);
  return Maze(3, open);
}

TEST(MazeCrossings, AreWhereThereIsAChoice) {
  const MazeCrossings crossings(TwoChoices());
  ASSERT_GE(crossings.all.size(), 3u);
  EXPECT_EQ(crossings.first.next, 0);
  EXPECT_EQ(crossings.all[0].cell, 0);
  EXPECT_EQ(crossings.all[0].entered, -1);
  EXPECT_FALSE(crossings.all[0].ways[0]);
  // The way east leads to the dead end 2, and back through the start to 3 and
  // 4, the next choice.
  const MazeWay& east = *crossings.all[0].ways[1];
  EXPECT_EQ(east.cells, (std::vector<int64_t>{1, 2, 1, 0, 3, 4}));
  const MazeWay& south = *crossings.all[0].ways[2];
  EXPECT_EQ(south.cells, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(east.next, south.next);
  for (const MazeCrossing& crossing : crossings.all) {
    int ways = 0;
    for (const auto& way : crossing.ways) ways += way ? 1 : 0;
    EXPECT_GE(ways, 2);
  }
}

/// Returns Σ probability · value over all sequences of choices of length
/// `max`.
double Enumerated(const LabyrinthAgent& agent, size_t max,
                  const std::function<void(const MazeRollout&, double)>& each,
                  const Context& ctx) {
  double total = 0;
  std::set<std::vector<int>> seen;
  std::vector<int> given(max);
  const std::function<void(size_t)> choose = [&](size_t depth) {
    if (depth == max) {
      const MazeRollout rollout = agent.Walk(ctx, 1, 0, given);
      std::vector<int> made;
      double p = 1;
      for (const MazeChoice& choice : rollout.episodes[0].choices) {
        made.push_back(choice.move);
        p *= At(choice.probabilities, choice.move);
      }
      if (!seen.insert(made).second) return;
      total += p;
      each(rollout, p);
      return;
    }
    for (int d = 0; d < kDirections; ++d) {
      given[depth] = d;
      // Only open ways are enumerated.
      const MazeRollout so_far =
          agent.Walk({}, 1, 0, std::span(given).subspan(0, depth));
      const auto& choices = so_far.episodes[0].choices;
      if (choices.size() > depth) {
        const auto& crossing =
            At(agent.crossings().all, choices[depth].crossing);
        if (!At(crossing.ways, d)) continue;
      } else if (d > 0) {
        continue;
      }
      choose(depth + 1);
    }
  };
  choose(0);
  return total;
}

std::vector<double> GradientsOf(LabyrinthAgent& agent, const Var& loss,
                                Tape& tape) {
  tape.Backward(loss);
  std::vector<double> all;
  for (const auto& parameter : agent.parameters().all()) {
    if (parameter->gradient().defined() &&
        !parameter->name().starts_with("baseline")) {
      const auto own = parameter->gradient().ToVector<double>();
      all.insert(all.end(), own.begin(), own.end());
    }
    parameter->ClearGradient();
  }
  return all;
}

TEST(Labyrinth, TheMeanOfRewardGradientsIsThatOfTheMeanReward) {
  // Few steps keep the enumeration of all episodes small.
  LabyrinthAgent agent(TwoChoices(), 3, DType::kF64, 5, 10);
  constexpr size_t kChoices = 10;
  std::vector<double> expected, mean;
  const auto add = [](std::vector<double>& sum, const std::vector<double>& g,
                      double factor) {
    sum.resize(g.size());
    for (size_t i = 0; i < g.size(); ++i) sum[i] += factor * g[i];
  };
  const auto again = [&](const MazeRollout& plain, const Context& ctx) {
    std::vector<int> given;
    for (const MazeChoice& choice : plain.episodes[0].choices) {
      given.push_back(choice.move);
    }
    return agent.Walk(ctx, 1, 0, given);
  };
  // The expected gradient is d/dθ Σ p R, with p as a product of probabilities.
  const double all = Enumerated(
      agent, kChoices,
      [&](const MazeRollout& plain, double) {
        Tape tape;
        Context ctx;
        ctx.tape = &tape;
        const MazeRollout rollout = again(plain, ctx);
        const double reward = LabyrinthReward(agent, rollout.episodes[0]);
        const Var p = Exp(Sum(rollout.log_probability));
        add(expected, GradientsOf(agent, Scale(p, -reward), tape), 1);
      },
      {});
  EXPECT_NEAR(all, 1, 1e-12);
  for (const LabyrinthMethod method :
       {LabyrinthMethod::kNone, LabyrinthMethod::kMoving,
        LabyrinthMethod::kLearned}) {
    mean.clear();
    Enumerated(
        agent, kChoices,
        [&](const MazeRollout& plain, double probability) {
          Tape tape;
          Context ctx;
          ctx.tape = &tape;
          const MazeRollout rollout = again(plain, ctx);
          const std::vector<double> rewards = {
              LabyrinthReward(agent, rollout.episodes[0])};
          add(mean,
              GradientsOf(agent, LabyrinthLoss(rollout, rewards, method, -0.2),
                          tape),
              probability);
        },
        {});
    ASSERT_EQ(mean.size(), expected.size());
    double largest = 0;
    for (size_t i = 0; i < mean.size(); ++i) {
      EXPECT_NEAR(mean[i], expected[i], 1e-10) << i;
      largest = std::max(largest, std::abs(expected[i]));
    }
    EXPECT_GT(largest, 1e-4);
  }
}

TEST(Labyrinth, TheSoftReturnIsTheMeanReturnWhereNoWaysComeTogether) {
  // Two consecutive choices lead to the exit; later arrivals count little.
  const Maze maze = TwoChoices();
  LabyrinthAgent agent(maze, 4, DType::kF64, 6);
  double mean = 0;
  constexpr double kDiscount = 0.2;  // later arrivals hardly count
  const double share =
      Enumerated(agent, 6,
                 [&](const MazeRollout& rollout, double probability) {
                   mean += probability * LabyrinthAgent::Return(
                                             rollout.episodes[0], kDiscount);
                 },
                 {});
  EXPECT_GT(share, 0.5);
  EXPECT_NEAR(agent.SoftReturn({}, kDiscount).value().item(), mean,
              1e-3 * mean);
}

TEST(Labyrinth, TheSoftReturnHasTheGradientOfDifferences) {
  LabyrinthAgent agent(Maze::Make(4, 2), 4, DType::kF64, 4);
  for (const auto& parameter : agent.parameters().all()) {
    if (parameter->name().starts_with("baseline")) continue;
    Tape tape;
    Context ctx;
    ctx.tape = &tape;
    tape.Backward(agent.SoftReturn(ctx, 0.9));
    const std::vector<double> own = parameter->gradient().ToVector<double>();
    for (const auto& each : agent.parameters().all()) each->ClearGradient();
    for (const size_t i : {size_t{0}, own.size() / 2, own.size() - 1}) {
      constexpr double kStep = 1e-5;
      double& number = parameter->mutable_value().data<double>()[i];
      const double before = number;
      number = before + kStep;
      parameter->Changed();
      const double above = agent.SoftReturn({}, 0.9).value().item();
      number = before - kStep;
      parameter->Changed();
      const double below = agent.SoftReturn({}, 0.9).value().item();
      number = before;
      parameter->Changed();
      EXPECT_NEAR(own[i], (above - below) / (2 * kStep), 1e-7)
          << parameter->name() << " " << i;
    }
  }
}

TEST(Labyrinth, EpisodesAreTheSameForTheSameSeed) {
  const LabyrinthAgent agent(Maze::Make(7, 2), 4);
  const MazeRollout a = agent.Walk({}, 5, 9), b = agent.Walk({}, 5, 9);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(a.episodes[i].cells, b.episodes[i].cells);
    EXPECT_LE(a.episodes[i].steps(), agent.max_steps());
    // No move passes through a wall.
    for (size_t k = 0; k + 1 < a.episodes[i].cells.size(); ++k) {
      bool joined = false;
      for (int d = 0; d < kDirections; ++d) {
        joined |= agent.maze().Open(a.episodes[i].cells[k], d) &&
                  agent.maze().Neighbour(a.episodes[i].cells[k], d) ==
                      a.episodes[i].cells[k + 1];
      }
      EXPECT_TRUE(joined);
    }
  }
}

TEST(Labyrinth, IsLeftByEveryMethod) {
  const Maze maze = Maze::Make(6, 5);
  for (const LabyrinthMethod method :
       {LabyrinthMethod::kNone, LabyrinthMethod::kMoving,
        LabyrinthMethod::kLearned, LabyrinthMethod::kSoft}) {
    LabyrinthAgent agent(maze, 1);
    LabyrinthLearner learner(agent, method, {});
    for (int i = 0; i < 120; ++i) learner.Step();
    const MazeEpisode episode = agent.MostProbable();
    EXPECT_TRUE(episode.solved) << static_cast<int>(method);
    if (method == LabyrinthMethod::kSoft) {
      EXPECT_EQ(episode.steps(), maze.shortest());
    }
  }
}

TEST(Labyrinth, BaselinesLowerTheVariance) {
  LabyrinthAgent agent(Maze::Make(7, 1), 1);
  LabyrinthLearner learner(agent, LabyrinthMethod::kLearned, {});
  for (int i = 0; i < 10; ++i) learner.Step();
  const auto variances = GradientVariances(agent, learner.moving(), 200, 3);
  EXPECT_LT(variances[1], 0.8 * variances[0]);
  EXPECT_LT(variances[2], 0.8 * variances[0]);
}

TEST(Labyrinth, TheObjectiveOfHardChoicesIsAbruptAndTheSoftOneSmooth) {
  LabyrinthAgent agent(Maze::Make(7, 1), 1);
  const std::vector<Tensor> before = ParametersOf(agent.parameters());
  LabyrinthLearner learner(agent, LabyrinthMethod::kLearned, {});
  for (int i = 0; i < 100; ++i) learner.Step();
  const double learned = agent.SoftReturn({}, 0.95).value().item();
  const ObjectiveSlice slice = SliceOfObjective(
      agent, before, ParametersOf(agent.parameters()), 0.95, 61);
  EXPECT_EQ(agent.SoftReturn({}, 0.95).value().item(), learned);
  std::set<double> hard(slice.hard.begin(), slice.hard.end());
  EXPECT_LT(hard.size(), 20u) << "of steps";
  std::set<double> soft(slice.soft.begin(), slice.soft.end());
  EXPECT_GT(soft.size(), 55u);
  double largest_soft = 0, largest_hard = 0;
  for (size_t i = 1; i < slice.at.size(); ++i) {
    largest_soft =
        std::max(largest_soft, std::abs(slice.soft[i] - slice.soft[i - 1]));
    largest_hard =
        std::max(largest_hard, std::abs(slice.hard[i] - slice.hard[i - 1]));
  }
  EXPECT_LT(largest_soft, 0.5 * largest_hard);
}

TEST(Labyrinth, IsDrawn) {
  const LabyrinthAgent agent(Maze::Make(5, 3), 1);
  const MazeEpisode episode = agent.Walk({}, 1, 2).episodes[0];
  const std::vector<Drawing> drawings = {
      DrawLabyrinth(agent, episode, "A labyrinth")};
  const std::string svg = SvgPicture(drawings, {.label = "labyrinth"});
  EXPECT_FALSE(SvgToPng(svg).empty());
  std::set<int64_t> places;
  for (const MazeChoice& choice : episode.choices) {
    places.insert(At(agent.crossings().all, choice.crossing).cell);
  }
  size_t points = 0;
  for (size_t at = svg.find("<circle"); at != std::string::npos;
       at = svg.find("<circle", at + 1)) {
    ++points;
  }
  EXPECT_EQ(points, places.size());
  const std::string text = LabyrinthText(agent, episode, {});
  EXPECT_EQ(text.substr(0, 24), "  +---+---+---+---+---+\n");
}

}  // namespace
}  // namespace heed
