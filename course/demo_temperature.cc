// heed demo temperature: the effect of the softmax temperature on a trained
// head.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "course/demos.h"
#include "course/token_measures.h"
#include "heed/render/line_plot.h"

namespace heed {
namespace {

constexpr int64_t kTemperatureWords = 500;
constexpr int kTemperatureDoublings = 6;  // in each direction

struct TemperatureDemo : DemoOptions {
  int steps = 400;

  void VisitOwn(FieldList& v) override {
    v("steps", steps, Range(1, 100000), "updates, of 64 words each");
  }
};

/// A head at one temperature, before and after training.
struct AtTemperature {
  double temperature = 1;
  Sharpness before;
  Sharpness after;
};

void DrawTemperatures(const TemperatureDemo& demo,
                      const std::vector<AtTemperature>& all) {
  std::vector<LinePlotPanel> panels = {
      {{{"untrained", {}, {}}, {"trained", {}, {}}},
       {.title = "Entropy of a row of weights",
        .x_label = "temperature τ",
        .y_label = "bits",
        .logarithmic_x = true,
        .named = false}},
      {{{"untrained", {}, {}}, {"trained", {}, {}}},
       {.title = "Letters that are right",
        .x_label = "temperature τ",
        .y_label = "%",
        .logarithmic_x = true,
        .named = false}}};
  for (const AtTemperature& at : all) {
    const std::vector<Sharpness> both = {at.before, at.after};
    for (size_t i = 0; i < both.size(); ++i) {
      panels[0].series[i].y.push_back(both[i].entropy);
      panels[1].series[i].y.push_back(100 * both[i].accuracy);
      for (LinePlotPanel& panel : panels) {
        panel.series[i].x.push_back(at.temperature);
      }
    }
  }
  LinePlotOptions shown = panels[0].options;
  shown.named = true;
  fmt::print("\n{}",
             TerminalLinePlot(panels[0].series, shown, DetectTerminal()));
  const std::vector<std::string> names = {"untrained", "trained"};
  fmt::print("The picture: {}\n",
             WritePicture(demo.out, "temperature",
                          LinePlotsSvg(panels, names,
                                       "softmax(scores / τ) of one head")));
}

/// Describes the range of temperatures at which the accuracy is close to its
/// maximum.
std::string TemperatureFinding(const std::vector<AtTemperature>& all) {
  const AtTemperature* one = nullptr;
  double best = 0;
  for (const AtTemperature& at : all) {
    if (at.temperature == 1) one = &at;
    best = std::max(best, at.after.accuracy);
  }
  double coldest = INFINITY, hottest = 0;
  for (const AtTemperature& at : all) {
    if (at.after.accuracy < best - 0.01) continue;
    coldest = std::min(coldest, at.temperature);
    hottest = std::max(hottest, at.temperature);
  }
  return fmt::format(
      "At temperature 1 the trained head attends to {:.1f} letters "
      "({:.2f} bits), the untrained\none to {:.1f} ({:.2f} bits): {}.\nWithin "
      "one point of the best, {:.1f} %, are temperatures from {:.2g} to "
      "{:.2g}:\n{}.",
      one->after.words, one->after.entropy, one->before.words,
      one->before.entropy,
      one->after.entropy < one->before.entropy
          ? "it is training that makes softmax sure"
          : "training did not make softmax surer",
      100 * best, coldest, hottest,
      coldest < 1 && coldest == all.front().temperature
          ? "it can be as sure as one likes, but not much less"
          : "both surer and less sure weights cost answers");
}

}  // namespace

int RunDemoTemperature(const Arguments& arguments) {
  TemperatureDemo demo;
  const auto limit = ParseDemo(
      demo, arguments, "temperature",
      "Trains one head to write words backwards and then divides its scores by "
      "temperatures from 1/64 to 64 before softmax: the entropy of its "
      "weights, how many letters it attends to, and how many answers stay "
      "right, beside the same head before training (some seconds).",
      {"", " --steps 100 --seed 2"});
  if (!limit) return 0;

  const TokenTask task = BackwardsTask();
  TokenLearner learner(task, LayerFor(task, 64),
                       {.steps = demo.steps, .seed = demo.seed});
  const TokenBatch test = learner.Test(kTemperatureWords);
  std::vector<AtTemperature> all;
  for (int i = -kTemperatureDoublings; i <= kTemperatureDoublings; ++i) {
    const double temperature = std::exp2(i);
    all.push_back(
        {temperature, SharpnessOf(learner.model(), test, temperature), {}});
  }
  learner.Train();
  fmt::print(
      "              untrained                 trained\n"
      "temperature   bits  letters  largest    bits  letters  largest  "
      "right\n");
  for (AtTemperature& at : all) {
    at.after = SharpnessOf(learner.model(), test, at.temperature);
    fmt::print("{:11.4g}{:7.2f}{:9.1f}{:9.3f}{:8.2f}{:9.1f}{:9.3f}{:6.1f} %\n",
               at.temperature, at.before.entropy, at.before.words,
               at.before.largest, at.after.entropy, at.after.words,
               at.after.largest, 100 * at.after.accuracy);
  }
  DrawTemperatures(demo, all);
  fmt::print("\n{}\n", TemperatureFinding(all));
  return 0;
}

}  // namespace heed
