// heed demo hard: the cost of choosing one item instead of averaging all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "course/demos.h"
#include "course/hard_choice.h"
#include "course/parameter_line.h"
#include "heed/base/at.h"
#include "heed/base/rng.h"
#include "heed/metrics/spread.h"
#include "heed/render/line_plot.h"
#include "heed/render/terminal.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int kThetaPoints = 101;
constexpr int kChoiceSamples = 10;
constexpr int64_t kSliceQuestions = 12;
constexpr std::array<double, 3> kSliceTemperatures = {1, 0.3, 0.03};

struct HardCommand : DemoOptions {
  int runs = 10;
  ChoiceTraining training;

  void VisitOwn(FieldList& v) override {
    v("runs", runs, Range(1, 1000),
      "models of each method, with different seeds");
    v("steps", training.steps, Range(50, 100000),
      "updates of each model, of 32 questions each");
    v("draws", training.draws, Range(2, 100000),
      "gradients to measure the variance from");
  }
};

std::string ChoiceName(size_t method) {
  return Named<ChoiceMethod>(static_cast<ChoiceMethod>(method)).word();
}

/// Summary of all models of one method.
struct ChoiceSummary {
  std::vector<double> curve;  // mean accuracy
  int reached = 0;            // models that reach the goal
  Spread steps = {};          // steps to the goal, of these models
};

ChoiceSummary SummaryOfChoices(const std::vector<ChoiceRun>& runs) {
  ChoiceSummary all;
  all.curve.resize(runs[0].accuracy.size());
  std::vector<double> steps;
  for (const ChoiceRun& run : runs) {
    for (size_t i = 0; i < all.curve.size(); ++i) {
      all.curve[i] += run.accuracy[i] / static_cast<double>(runs.size());
    }
    if (run.enough_at) steps.push_back(static_cast<double>(*run.enough_at));
  }
  all.reached = static_cast<int>(steps.size());
  all.steps = ComputeSpread(steps);
  return all;
}

/// Returns the mean variances without baseline, with the moving and with the
/// learned one.
std::array<double, 3> MeanVariances(const std::vector<ChoiceRun>& runs) {
  std::array<double, 3> mean = {};
  for (const ChoiceRun& run : runs) {
    for (size_t m = 0; m < mean.size(); ++m) {
      mean[m] += run.variances[m] / static_cast<double>(runs.size());
    }
  }
  return mean;
}

using ChoiceRuns = std::array<std::vector<ChoiceRun>, kChoiceMethods>;

/// Trains every method with every seed, several at the same time.
ChoiceRuns RunChoices(const HardCommand& command) {
  ChoiceRuns runs;
  for (auto& own : runs) own.resize(static_cast<size_t>(command.runs));
  const auto methods = static_cast<int64_t>(kChoiceMethods);
  ParallelForEach(methods * command.runs, 1, [&](int64_t i) {
    ChoiceTraining training = command.training;
    training.seed =
        Rng(command.training.seed, static_cast<uint64_t>(i / methods)).Next();
    ChoiceModel model(training.seed);
    const auto method = static_cast<size_t>(i % methods);
    At(runs[method], i / methods) =
        TrainChoice(model, static_cast<ChoiceMethod>(method), training);
  });
  return runs;
}

void PrintChoices(const HardCommand& command,
                  const std::array<ChoiceSummary, kChoiceMethods>& summaries,
                  const std::array<double, 3>& variances) {
  const std::string reached =
      fmt::format("steps to {:.0f} %", command.training.enough);
  fmt::print("{}{:>16}{:>14}{:>24}\n", Pad("weights", 24), reached, "reached",
             "variance of gradient");
  for (size_t m = 0; m < kChoiceMethods; ++m) {
    const ChoiceSummary& own = summaries[m];
    const auto first = static_cast<size_t>(ChoiceMethod::kNoBaseline);
    fmt::print("{}{:>16}{:>14}{:>24}\n", Pad(ChoiceName(m), 24),
               own.reached == 0 ? "-"
                                : fmt::format("{:.0f} ± {:.0f}", own.steps.mean,
                                              own.steps.deviation),
               fmt::format("{} of {}", own.reached, command.runs),
               m < first ? "-" : fmt::format("{:.3f}", variances[m - first]));
  }
}

void ShowLearning(const HardCommand& command,
                  const std::array<ChoiceSummary, kChoiceMethods>& summaries) {
  std::vector<Series> curves;
  for (size_t m = 0; m < kChoiceMethods; ++m) {
    Series series = {ChoiceName(m), {}, summaries[m].curve};
    for (size_t i = 0; i < series.y.size(); ++i) {
      series.x.push_back(static_cast<double>(i + 1) *
                         static_cast<double>(command.training.every));
    }
    curves.push_back(std::move(series));
  }
  const LinePlotOptions axes = {
      .title = fmt::format("Questions answered, mean of {}", command.runs),
      .x_label = "updates",
      .y_label = "%"};
  WritePicture(command.out, "hard", LinePlotSvg(curves, axes));
  fmt::print("\n{}", TerminalLinePlot(curves, axes, DetectTerminal()));
}

/// Draws the objective along the line from the parameters before training with
/// soft attention to those after it.
ChoiceSlice ShowSlice(const HardCommand& command) {
  ChoiceModel model(command.training.seed);
  const std::vector<Tensor> before = ParametersOf(model.parameters());
  TrainChoice(model, ChoiceMethod::kSoft, command.training);
  const std::vector<double> temperatures(kSliceTemperatures.begin(),
                                         kSliceTemperatures.end());
  ChoiceSlice slice = SliceOfChoices(
      model, before, ParametersOf(model.parameters()),
      MakeChoices(kSliceQuestions, command.training.seed + 3), temperatures,
      kThetaPoints, kChoiceSamples, command.training.seed + 4);
  const LinePlotPanel hard = {
      {{"argmax", slice.theta, slice.argmax},
       {"mean of samples", slice.theta, slice.sampled},
       {"softmax", slice.theta, slice.soft}},
      {.title = "Hard choices and soft weights",
       .x_label = "θ: scores before learning 0, after 1",
       .y_label = "mean p of the answer"}};
  LinePlotPanel relaxed = {
      {},
      {.title = "Gumbel of one noise, as its temperature falls",
       .x_label = hard.options.x_label,
       .y_label = hard.options.y_label}};
  for (size_t j = 0; j < temperatures.size(); ++j) {
    relaxed.series.push_back(
        {fmt::format("τ = {}", temperatures[j]), slice.theta, slice.gumbel[j]});
  }
  WritePicture(command.out, "hard-objective",
               LinePlotSvg(hard.series, hard.options));
  WritePicture(command.out, "hard-gumbel",
               LinePlotSvg(relaxed.series, relaxed.options));
  const TerminalOptions terminal = DetectTerminal();
  fmt::print("\n{}\n{}", TerminalLinePlot(hard.series, hard.options, terminal),
             TerminalLinePlot(relaxed.series, relaxed.options, terminal));
  return slice;
}

/// Summarises the results in words.
std::string HardVerdict(
    const std::array<ChoiceSummary, kChoiceMethods>& summaries,
    const std::array<double, 3>& variances, const ChoiceSlice& slice) {
  std::string text = fmt::format(
      "The variance of the gradient without a baseline is {:.1f} times that "
      "with a moving one\nand {:.1f} times that with a learned one. ",
      variances[0] / variances[1], variances[0] / variances[2]);
  const auto steps = [&](ChoiceMethod method) {
    const ChoiceSummary& own = At(summaries, method);
    return own.reached > 0 ? own.steps.mean
                           : std::numeric_limits<double>::infinity();
  };
  const double soft = steps(ChoiceMethod::kSoft);
  const auto cost = [&](double own) {
    return std::isfinite(own / soft) ? fmt::format("{:.1f}", own / soft)
                                     : std::string("more than all");
  };
  const double best = std::min(steps(ChoiceMethod::kMovingBaseline),
                               steps(ChoiceMethod::kLearnedBaseline));
  text += fmt::format(
      "Hard choices take {} times the\nsteps of soft weights without a "
      "baseline, {} with the better one, and Gumbel takes {}.\n",
      cost(steps(ChoiceMethod::kNoBaseline)), cost(best),
      cost(steps(ChoiceMethod::kGumbel)));
  const double hard = LargestJump(slice.argmax);
  const double smooth = LargestJump(slice.soft);
  text += fmt::format(
      "Between neighbouring θ the objective of the argmax moves by up to "
      "{:.3f}, of the softmax\nby {:.3f}, of Gumbel by {:.3f} (τ = {}) to "
      "{:.3f} (τ = {}):\n{}.\n",
      hard, smooth, LargestJump(slice.gumbel.front()),
      kSliceTemperatures.front(), LargestJump(slice.gumbel.back()),
      kSliceTemperatures.back(),
      hard > 2 * smooth ? "hard choices jump, soft weights vary smoothly"
                        : "here hard choices do not jump more");
  return text;
}

}  // namespace

int RunDemoHard(const Arguments& arguments) {
  HardCommand command;
  const auto limit = ParseDemo(
      command, arguments, "hard",
      "Learns one task (find the item of a key among 2 to 12) by soft "
      "attention, by a relaxation of samples (Gumbel), and by samples of one "
      "item with rewards (REINFORCE) without a baseline, with a moving and "
      "with a learned one. Compares steps and variances, and draws the "
      "objective along one number (a few seconds).",
      {"", " --runs 50 --draws 1000"});
  if (!limit) return 0;
  command.training.seed = command.seed;

  const ChoiceRuns runs = RunChoices(command);
  std::array<ChoiceSummary, kChoiceMethods> summaries;
  for (size_t m = 0; m < kChoiceMethods; ++m) {
    summaries[m] = SummaryOfChoices(runs[m]);
  }
  const std::array<double, 3> variances =
      MeanVariances(At(runs, ChoiceMethod::kLearnedBaseline));
  PrintChoices(command, summaries, variances);
  ShowLearning(command, summaries);
  const ChoiceSlice slice = ShowSlice(command);
  fmt::print(
      "\n{0}\nThe pictures: {1}/hard.svg, hard-objective.svg, "
      "hard-gumbel.svg\n",
      HardVerdict(summaries, variances, slice), command.out);
  return 0;
}

}  // namespace heed
