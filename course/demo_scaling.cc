// heed demo scaling: the effect of the factor 1/√d on training.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "course/demos.h"
#include "course/token_measures.h"
#include "heed/base/errors.h"
#include "heed/base/timing.h"
#include "heed/render/line_plot.h"
#include "heed/render/text_layout.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

constexpr double kLearned = 0.95;
constexpr int64_t kScalingWidth = 64;

struct ScalingDemo : DemoOptions {
  int smallest = 64;
  int largest = 1024;
  int steps = 1000;
  int seeds = 5;
  double learning_rate = 3e-3;

  void VisitOwn(FieldList& v) override {
    v("smallest", smallest, Range(1, 4096),
      "features of a query and a key, doubled");
    v("largest", largest, Range(1, 4096),
      "maximum features of a query and a key");
    v("steps", steps, Range(20, 100000),
      "maximum updates of a run, of 64 words each");
    v("seeds", seeds, Range(1, 100), "runs of each kind");
    v("learning_rate", learning_rate, Range(1e-6, 1), "learning rate of Adam");
  }
};

/// Runs of one score and one d.
struct ScaledRuns {
  int64_t features = 0;
  std::string score;
  int learned = 0;
  double steps = 0;  // median; NaN where most runs did not learn
  double accuracy = 0;
  double first_gradient = 0;
  double last_gradient = 0;
};

/// Returns a layer whose x, q and k have components of variance 1, as the
/// argument for 1/√d assumes.
TokenAttentionOptions ScalingLayer(const TokenTask& task, int64_t features,
                                   const std::string& score) {
  TokenAttentionOptions layer = LayerFor(task, features);
  layer.spec.score = ChooseScore(score);
  layer.spec.value = layer.width = kScalingWidth;
  layer.embedding = {Init::Kind::kNormal, std::sqrt(0.5)};
  layer.projection = {Init::Kind::kNormal,
                      1 / std::sqrt(static_cast<double>(kScalingWidth))};
  return layer;
}

ScaledRuns MeasureRuns(const ScalingDemo& demo, const TokenTask& task,
                       int64_t features, const std::string& score) {
  ScaledRuns runs = {.features = features, .score = score};
  std::vector<double> steps;
  for (int i = 0; i < demo.seeds; ++i) {
    const LearningRun run =
        LearnUntil(task, ScalingLayer(task, features, score),
                   {.steps = demo.steps,
                    .learning_rate = demo.learning_rate,
                    .schedule = Schedule::kConstant,
                    .seed = demo.seed + static_cast<uint64_t>(i)},
                   kLearned);
    if (run.steps) ++runs.learned;
    steps.push_back(run.steps ? static_cast<double>(*run.steps) : INFINITY);
    runs.accuracy += run.accuracy / demo.seeds;
    runs.first_gradient += run.first_gradient / demo.seeds;
    runs.last_gradient += run.last_gradient / demo.seeds;
  }
  const double median = Median(steps);
  runs.steps = std::isfinite(median) ? median : NAN;
  return runs;
}

std::string StepsText(const ScalingDemo& demo, double steps) {
  return std::isfinite(steps) ? fmt::format("{:.0f}", steps)
                              : fmt::format("> {}", demo.steps);
}

/// Summarises the runs of the largest d in words.
std::string ScalingFinding(const ScalingDemo& demo, const ScaledRuns& plain,
                           const ScaledRuns& scaled) {
  const double ratio = plain.steps / scaled.steps;
  std::string finding = fmt::format(
      "At d = {}, {} of {} runs reach {:.0f} % without the factor and {} with "
      "it",
      plain.features, plain.learned, demo.seeds, 100 * kLearned,
      scaled.learned);
  if (std::isfinite(ratio)) {
    finding += fmt::format(
        ",\nafter {:.0f} and {:.0f} updates: {}", plain.steps, scaled.steps,
        ratio > 1.2   ? fmt::format("{:.1f} times as many without it", ratio)
        : ratio < 0.8 ? fmt::format("{:.1f} times as many with it", 1 / ratio)
                      : "the factor makes little difference here");
  } else if (plain.learned < scaled.learned) {
    finding += ":\nwithout the factor training stalls";
  } else if (plain.learned > scaled.learned) {
    finding += ":\nhere the factor does not help";
  }
  return finding + ".";
}

}  // namespace

int RunDemoScaling(const Arguments& arguments) {
  ScalingDemo demo;
  const auto limit = ParseDemo(
      demo, arguments, "scaling",
      "Trains a layer of attention to write words backwards, with scores qᵀk "
      "and qᵀk/√d, for d from 64 to 1024: how many updates it needs, and how "
      "large its gradients are (about a minute).",
      {"", " --smallest 256 --seeds 1 --steps 2000"});
  if (!limit) return 0;

  if (demo.largest < demo.smallest) {
    throw ConfigError("demo scaling: --largest {} is below --smallest {}",
                      demo.largest, demo.smallest);
  }
  const TokenTask task = BackwardsTask();
  std::vector<LinePlotPanel> panels = {
      {{},
       {.title = "Updates until 95 % of the letters are right",
        .x_label = "features d of a query",
        .y_label = "updates",
        .logarithmic_x = true,
        .logarithmic_y = true,
        .named = false}},
      {{},
       {.title = "Gradient norm of the first ten updates",
        .x_label = "features d of a query",
        .y_label = "norm",
        .logarithmic_x = true,
        .logarithmic_y = true,
        .named = false}}};
  const std::vector<std::string> scores = {"dot", "scaled_dot"};
  for (LinePlotPanel& panel : panels) {
    panel.series = {{"qᵀk", {}, {}}, {"qᵀk/√d", {}, {}}};
  }
  fmt::print(
      "    d  score     updates to 95 %  learned  letters right  gradient: "
      "first   last\n");
  std::vector<ScaledRuns> last;
  for (int64_t d = demo.smallest; d <= demo.largest; d *= 2) {
    last.clear();
    for (size_t i = 0; i < scores.size(); ++i) {
      const ScaledRuns runs = MeasureRuns(demo, task, d, scores[i]);
      fmt::print("{:5}  {}{:>16}{:>6} of {}{:>13.1f} %{:>16.3f}{:>7.3f}\n", d,
                 Pad(panels[0].series[i].name, 9), StepsText(demo, runs.steps),
                 runs.learned, demo.seeds, 100 * runs.accuracy,
                 runs.first_gradient, runs.last_gradient);
      std::fflush(stdout);
      for (size_t p = 0; p < panels.size(); ++p) {
        Series& series = panels[p].series[i];
        series.x.push_back(static_cast<double>(d));
        series.y.push_back(p == 0 ? runs.steps : runs.first_gradient);
      }
      last.push_back(runs);
    }
  }
  const std::vector<std::string> names = {"qᵀk", "qᵀk/√d"};
  fmt::print("\n{}", TerminalLinePlot(panels[0].series, panels[0].options,
                                      DetectTerminal()));
  fmt::print("The picture: {}\n\n{}\n",
             WritePicture(
                 demo.out, "scaling",
                 LinePlotsSvg(panels, names, "Training with and without 1/√d")),
             ScalingFinding(demo, last[0], last[1]));
  return 0;
}

}  // namespace heed
