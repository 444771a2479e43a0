// heed demo labyrinth: the difficulty of learning hard choices, and the effect
// of baselines and of a soft relaxation.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "course/demos.h"
#include "course/labyrinth_picture.h"
#include "course/labyrinth_training.h"
#include "course/parameter_line.h"
#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/io/file.h"
#include "heed/render/line_plot.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr size_t kMethods = 4;
constexpr int kSlicePoints = 81;
constexpr int kVarianceAfter = 10;  // updates, early in training

struct LabyrinthCommand : DemoOptions {
  LabyrinthCommand() { out = "heed-labyrinth"; }
  int side = 7;
  int mazes = 20;
  int updates = 150;
  int draws = 100;
  LabyrinthOptions options;

  void VisitOwn(FieldList& v) override {
    v("side", side, Range(2, 30), "cells of a maze along each side");
    v("mazes", mazes, Range(1, 1000), "mazes, each with its own agent");
    v("updates", updates, Range(1, 1e6), "updates of each agent");
    v("episodes", options.episodes, Range(1, 10000),
      "episodes per update with hard choices");
    v("learning_rate", options.learning_rate, Range(1e-6, 1),
      "learning rate of Adam");
    v("discount", options.discount, Range(0.5, 0.9999),
      "discount γ of a step in the soft relaxation");
    v("draws", draws, Range(2, 1e6),
      "gradients to measure the variance from, one episode each");
  }
};

/// Training of one method in one maze.
struct LabyrinthRun {
  std::vector<double> detour;  ///< steps / shortest path, after each update
  MazeEpisode last;
  double shortest = 0;
  double ratio() const { return static_cast<double>(last.steps()) / shortest; }
};

/// Results of one maze.
struct LabyrinthMaze {
  std::array<LabyrinthRun, kMethods> runs;
  std::array<double, 3> variances = {};
};

std::string MethodName(size_t method) {
  return Named<LabyrinthMethod>(static_cast<LabyrinthMethod>(method)).word();
}

LabyrinthMaze LearnMaze(const LabyrinthCommand& command, int64_t number) {
  const uint64_t seed =
      Rng(command.options.seed, static_cast<uint64_t>(number)).Next();
  const Maze maze = Maze::Make(command.side, seed);
  LabyrinthMaze result;
  for (size_t m = 0; m < kMethods; ++m) {
    LabyrinthRun& run = result.runs[m];
    LabyrinthAgent agent(maze, seed + 1);
    LabyrinthOptions options = command.options;
    options.seed = seed + 2;
    LabyrinthLearner learner(agent, static_cast<LabyrinthMethod>(m), options);
    run.shortest = static_cast<double>(maze.shortest());
    for (int i = 0; i < command.updates; ++i) {
      learner.Step();
      run.last = agent.MostProbable();
      run.detour.push_back(run.ratio());
      if (static_cast<LabyrinthMethod>(m) == LabyrinthMethod::kLearned &&
          i + 1 == std::min(kVarianceAfter, command.updates)) {
        result.variances =
            GradientVariances(agent, learner.moving(), command.draws, seed + 3);
      }
    }
  }
  return result;
}

struct LabyrinthSummary {
  double solved = 0;  ///< share of mazes
  double ratio = 0;   ///< mean of steps / shortest path
  std::vector<double> curve;
};

LabyrinthSummary SummaryOf(const std::vector<LabyrinthMaze>& mazes, size_t m) {
  LabyrinthSummary all;
  all.curve.resize(mazes[0].runs[m].detour.size());
  const double share = 1 / static_cast<double>(mazes.size());
  for (const LabyrinthMaze& maze : mazes) {
    const LabyrinthRun& run = maze.runs[m];
    all.solved += run.last.solved ? share : 0;
    all.ratio += run.ratio() * share;
    for (size_t i = 0; i < all.curve.size(); ++i) {
      all.curve[i] += run.detour[i] * share;
    }
  }
  return all;
}

std::string LabyrinthPicture(const LabyrinthAgent& agent,
                             const MazeEpisode& episode,
                             const std::string& title) {
  const std::vector<Drawing> drawings = {DrawLabyrinth(agent, episode, title)};
  return SvgPicture(drawings, {.label = title});
}

/// Returns the maze whose last episode has the most choices.
int64_t MostChoices(const std::vector<LabyrinthMaze>& mazes) {
  const auto choices = [](const LabyrinthMaze& maze) {
    return maze.runs[kMethods - 1].last.choices.size();
  };
  return std::ranges::max_element(mazes, {}, choices) - mazes.begin();
}

/// Trains one maze again and shows it before and after, with the objective
/// between the two states.
nlohmann::ordered_json ShowMaze(const LabyrinthCommand& command,
                                int64_t number) {
  const uint64_t seed =
      Rng(command.options.seed, static_cast<uint64_t>(number)).Next();
  const Maze maze = Maze::Make(command.side, seed);
  LabyrinthAgent agent(maze, seed + 1);
  LabyrinthOptions options = command.options;
  options.seed = seed + 2;
  const MazeEpisode before =
      agent.Walk({}, 1, seed).episodes[0];  // before training
  LabyrinthLearner learner(agent, LabyrinthMethod::kLearned, options);
  const auto title = [&](const char* when, const MazeEpisode& episode) {
    return fmt::format("{}: {} steps{}; the fewest: {}", when, episode.steps(),
                       episode.solved ? "" : ", not solved", maze.shortest());
  };
  const std::string first = title("Before learning", before);
  WritePicture(command.out, "labyrinth-before",
               LabyrinthPicture(agent, before, first));
  const std::vector<Tensor> untrained = ParametersOf(agent.parameters());
  for (int i = 0; i < command.updates; ++i) learner.Step();
  const ObjectiveSlice slice =
      SliceOfObjective(agent, untrained, ParametersOf(agent.parameters()),
                       options.discount, kSlicePoints);
  const MazeEpisode after = agent.MostProbable();
  const std::string last = title("After learning", after);
  WritePicture(command.out, "labyrinth", LabyrinthPicture(agent, after, last));
  const TerminalOptions terminal = DetectTerminal();
  fmt::print("\n{}\n{}\n", last, LabyrinthText(agent, after, terminal));
  const std::vector<Series> lines = {
      {"likeliest choices", slice.at, slice.hard},
      {"soft relaxation", slice.at, slice.soft}};
  const LinePlotOptions axes = {
      .title = "The objective on the line from before learning to after",
      .x_label = "0: parameters before learning, 1: after",
      .y_label = "γ^steps"};
  WritePicture(command.out, "objective", LinePlotSvg(lines, axes));
  fmt::print("{}", TerminalLinePlot(lines, axes, terminal));
  return {{"at", slice.at}, {"hard", slice.hard}, {"soft", slice.soft}};
}

void ShowTable(const std::vector<LabyrinthMaze>& mazes) {
  fmt::print("{}{:>8}{:>18}{:>22}\n", Pad("baseline", 12), "solved",
             "steps / fewest", "variance of gradient");
  for (size_t m = 0; m < kMethods; ++m) {
    const LabyrinthSummary summary = SummaryOf(mazes, m);
    std::string variance = "-";
    if (m < 3) {
      double sum = 0;
      for (const LabyrinthMaze& maze : mazes) sum += maze.variances[m];
      variance = fmt::format("{:.3f}", sum / static_cast<double>(mazes.size()));
    }
    fmt::print("{}{:>7.0f}%{:>18.3f}{:>22}\n", Pad(MethodName(m), 12),
               100 * summary.solved, summary.ratio, variance);
  }
}

void WriteNumbers(const LabyrinthCommand& command,
                  const std::vector<LabyrinthMaze>& mazes,
                  const nlohmann::ordered_json& slice) {
  auto methods = nlohmann::ordered_json::object();
  std::vector<Series> curves;
  for (size_t m = 0; m < kMethods; ++m) {
    const LabyrinthSummary summary = SummaryOf(mazes, m);
    methods[MethodName(m)] = {{"solved", summary.solved},
                              {"ratio", summary.ratio},
                              {"curve", summary.curve}};
    Series series = {MethodName(m), {}, summary.curve};
    for (size_t i = 0; i < summary.curve.size(); ++i) {
      series.x.push_back(static_cast<double>(i + 1));
    }
    curves.push_back(std::move(series));
  }
  const LinePlotOptions axes = {
      .title = "Steps of the likeliest way, as a multiple of the fewest",
      .x_label = "updates",
      .y_label = "steps / fewest"};
  WritePicture(command.out, "learning", LinePlotSvg(curves, axes));
  fmt::print("\n{}", TerminalLinePlot(curves, axes, DetectTerminal()));
  auto variances = nlohmann::ordered_json::array();
  for (const LabyrinthMaze& maze : mazes) variances.push_back(maze.variances);
  const nlohmann::ordered_json all = {{"side", command.side},
                                      {"mazes", command.mazes},
                                      {"methods", methods},
                                      {"variances", variances},
                                      {"objective", slice}};
  WriteFileAtomically(command.out + "/labyrinth.json", all.dump() + "\n");
}

}  // namespace

int RunDemoLabyrinth(const Arguments& arguments) {
  LabyrinthCommand command;
  const auto limit = ParseDemo(
      command, arguments, "labyrinth",
      "Agents that see no more than the walls around learn to leave mazes. "
      "Choices at crossings are hard, so that nothing can be differentiated: "
      "they are learned by reward (REINFORCE) without a baseline, with a "
      "moving "
      "and with a learned one, and by the gradient of a soft relaxation that "
      "goes all ways at once.",
      {" --mazes 4 --updates 50", " --side 11 --updates 400"});
  if (!limit) return 0;
  command.options.seed = command.seed;

  std::vector<LabyrinthMaze> mazes(static_cast<size_t>(command.mazes));
  ParallelForEach(command.mazes, 1, [&](int64_t number) {
    At(mazes, number) = LearnMaze(command, number);
  });
  ShowTable(mazes);
  const nlohmann::ordered_json slice = ShowMaze(command, MostChoices(mazes));
  WriteNumbers(command, mazes, slice);
  fmt::print(
      "\nThe pictures: {0}/labyrinth.svg, labyrinth-before.svg, learning.svg, "
      "objective.svg\nThe numbers:  {0}/labyrinth.json\n",
      command.out);
  return 0;
}

}  // namespace heed
