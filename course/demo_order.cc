// heed demo order: accuracy with and without positions, on two tasks.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "course/demos.h"
#include "course/token_tasks.h"
#include "heed/metrics/spread.h"
#include "heed/render/line_plot.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

constexpr int64_t kOrderSentences = 1000;
constexpr std::array kSwaps = {0, 1, 2, 3, 4, 6, 8};

struct OrderDemo : DemoOptions {
  int steps = 1000;
  int seeds = 3;

  void VisitOwn(FieldList& v) override {
    v("steps", steps, Range(1, 100000), "updates, of 64 sentences each");
    v("seeds", seeds, Range(1, 100), "runs of each kind");
  }
};

/// Runs of one task with or without positions. Units: percent.
struct OrderRuns {
  std::string name;
  bool positions = false;
  Spread sentence = {};
  double shuffled = 0;
  std::vector<double> swapped;  // one per entry of kSwaps
};

OrderRuns MeasureOrder(const OrderDemo& demo, const TokenTask& task,
                       bool positions) {
  OrderRuns runs = {.name = task.name,
                    .positions = positions,
                    .swapped = std::vector<double>(kSwaps.size())};
  std::vector<double> sentences;
  for (int i = 0; i < demo.seeds; ++i) {
    TokenAttentionOptions layer = LayerFor(task, 64);
    layer.positions = positions;
    TokenLearner learner(
        task, layer,
        {.steps = demo.steps, .seed = demo.seed + static_cast<uint64_t>(i)});
    learner.Train();
    const TokenBatch test = learner.Test(kOrderSentences);
    Rng rng(demo.seed + 7);
    const auto percent = [&](const TokenBatch& batch) {
      return 100 * ScoreTokens(learner.model(), batch).accuracy;
    };
    sentences.push_back(percent(test));
    runs.shuffled += percent(Shuffled(test, rng)) / demo.seeds;
    for (size_t k = 0; k < kSwaps.size(); ++k) {
      runs.swapped[k] += percent(Swapped(test, kSwaps[k], rng)) / demo.seeds;
    }
  }
  runs.sentence = ComputeSpread(sentences);
  return runs;
}

Series SeriesOfSwaps(const OrderRuns& runs) {
  Series series = {
      fmt::format("{}, {}positions", runs.name, runs.positions ? "" : "no "),
      {},
      runs.swapped};
  for (const int swaps : kSwaps) series.x.push_back(swaps);
  return series;
}

/// Summarises the two runs of a task in words.
std::string OrderFinding(const OrderRuns& without, const OrderRuns& with) {
  const double gain = with.sentence.mean - without.sentence.mean;
  return fmt::format(
      "{}: {}, and shuffled words {}\n  the layer that knows positions "
      "({:.1f} % instead of {:.1f}).",
      with.name,
      gain > 1 ? fmt::format("without positions {:.1f} points are lost", gain)
               : std::string("positions add nothing"),
      with.sentence.mean - with.shuffled > 1 ? "mislead" : "do not mislead",
      with.shuffled, with.sentence.mean);
}

}  // namespace

int RunDemoOrder(const Arguments& arguments) {
  OrderDemo demo;
  const auto limit = ParseDemo(
      demo, arguments, "order",
      "Trains a layer of self-attention with and without positions on two "
      "questions about sentences: which word each word depends on, for which "
      "order counts, and which word is the verb, for which it does not. "
      "Measures both on the sentences and on the same words shuffled (about "
      "half a minute).",
      {"", " --seeds 1 --out pictures"});
  if (!limit) return 0;

  fmt::print(
      "task          positions   sentences           shuffled words   "
      "difference\n");
  std::vector<Series> series;
  std::string findings;
  for (const TokenTask& task : {DependenciesTask(), VerbTask()}) {
    std::vector<OrderRuns> both;
    for (const bool positions : {false, true}) {
      both.push_back(MeasureOrder(demo, task, positions));
      const OrderRuns& runs = both.back();
      fmt::print("{}{}{:9.1f} % ± {:<4.1f}{:18.1f} %{:13.1f}\n",
                 Pad(runs.name, 14), Pad(positions ? "known" : "none", 10),
                 runs.sentence.mean, runs.sentence.deviation, runs.shuffled,
                 runs.shuffled - runs.sentence.mean);
      std::fflush(stdout);
      series.push_back(SeriesOfSwaps(runs));
    }
    findings += OrderFinding(both[0], both[1]) + "\n";
  }
  const LinePlotOptions axes = {.title = "Right answers when words are swapped",
                                .x_label = "pairs of words swapped",
                                .y_label = "%"};
  fmt::print("\n{}", TerminalLinePlot(series, axes, DetectTerminal()));
  fmt::print("The picture: {}\n\n{}",
             WritePicture(demo.out, "order", LinePlotSvg(series, axes)),
             findings);
  return 0;
}

}  // namespace heed
