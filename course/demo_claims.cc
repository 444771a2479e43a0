// heed demo saturation and equivariance: two claims about attention, measured.
#include <fmt/format.h>

#include <vector>

#include "course/attention_demonstrations.h"
#include "course/demos.h"
#include "heed/base/text.h"
#include "heed/render/heatmap_svg.h"
#include "heed/render/line_plot.h"
#include "heed/render/text_layout.h"

namespace heed {
namespace {

void Append(Series& series, double x, double y) {
  series.x.push_back(x);
  series.y.push_back(y);
}

}  // namespace

int RunDemoSaturation(const Arguments& arguments) {
  DemoOptions command;
  const auto limit =
      ParseDemo(command, arguments, "saturation",
                "Softmax of random dot products with and without the factor "
                "1/√d, for d from 4 to 1024 features: how large the largest "
                "of 64 weights is, and how much gradient passes.",
                {" --out pictures"});
  if (!limit) return 0;

  std::vector<Series> series = {{"largest weight, plain", {}, {}},
                                {"gradient norm, plain", {}, {}},
                                {"largest weight, 1/√d", {}, {}},
                                {"gradient norm, 1/√d", {}, {}}};
  fmt::print(
      "          qᵀk                        qᵀk / √d\n    d      largest "
      "entropy gradient   largest entropy gradient\n");
  for (int64_t d = 4; d <= 1024; d *= 2) {
    const Saturation plain = MeasureSaturation(d, false, command.seed);
    const Saturation scaled = MeasureSaturation(d, true, command.seed);
    fmt::print("{:5}     {:8.3f} {:7.2f} {:8.3f}  {:8.3f} {:7.2f} {:8.3f}\n", d,
               plain.largest, plain.entropy, plain.gradient, scaled.largest,
               scaled.entropy, scaled.gradient);
    const auto x = static_cast<double>(d);
    Append(series[0], x, plain.largest);
    Append(series[1], x, plain.gradient);
    Append(series[2], x, scaled.largest);
    Append(series[3], x, scaled.gradient);
  }
  ShowPlot(command.out, "saturation", series,
           {.title = "Softmax over 64 keys, queries and keys from N(0, 1)",
            .x_label = "features d",
            .y_label = "mean of 200 queries",
            .logarithmic_x = true});
  return 0;
}

int RunDemoEquivariance(const Arguments& arguments) {
  DemoOptions command;
  const auto limit = ParseDemo(
      command, arguments, "equivariance",
      "Gives a self-attention with random weights a sentence and the same "
      "words in another order. Without positions the outputs are the same, in "
      "that order; with positions they are not.",
      {" --out pictures"});
  if (!limit) return 0;

  const std::vector<std::string> words = {"the", "cat", "saw",
                                          "a",   "dog", "run"};
  const std::vector<Equivariance> all =
      MeasureEquivariance(static_cast<int64_t>(words.size()), command.seed);
  fmt::print("{}largest difference of an output\n", Pad("positions", 24));
  std::vector<AlignmentView> views;
  for (const Equivariance& e : all) {
    fmt::print("{}{:.2g}\n", Pad(e.positions, 24), e.difference);
    if (e.positions != "none" && e.positions != "rotary") continue;
    views.push_back({words, words, e.weights.ToVector<float>(),
                     "positions: " + e.positions});
    views.push_back(
        {words, words, e.shuffled.ToVector<float>(), "shuffled and put back"});
  }
  fmt::print(
      "\nThe difference is that of the outputs to those of the sentence, in "
      "the same order,\nby the largest output; 64-bit numbers are exact to "
      "about 1e-16.\nThe picture: {}\n",
      WritePicture(command.out, "equivariance", AlignmentSvg(views)));
  return 0;
}

}  // namespace heed
