// heed demo gradients: gradient norms by distance in recurrent networks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "course/data/stories.h"
#include "course/demos.h"
#include "course/gradient_reach.h"
#include "course/training_in.h"
#include "heed/base/at.h"
#include "heed/io/file.h"
#include "heed/models/recurrent/rnn_config.h"
#include "heed/nn/recurrent.h"
#include "heed/render/line_plot.h"
#include "heed/render/text_layout.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/tasks/run.h"

namespace heed {
namespace {

constexpr int kReachStories = 4000;
constexpr int kMeasuredStories = 6;
constexpr int kReachEpochs = 2;
// Gradients below this are smaller than the rounding error of others.
constexpr double kNoGradient = 1e-12;

std::vector<std::string> NamesOfCells(std::initializer_list<Cell> cells) {
  std::vector<std::string> names;
  for (const Cell cell : cells) names.push_back(Named<Cell>(cell).word());
  return names;
}

struct ReachCommand : DemoOptions {
  std::vector<std::string> cells =
      NamesOfCells({Cell::kRnn, Cell::kGru, Cell::kLstm, Cell::kNestedLstm});
  int layers = 4;
  int units = 48;
  double forget_gate_bias = 0;
  bool recurrent_only = false;
  bool fresh = false;

  void VisitOwn(FieldList& v) override {
    v("cells", cells, OneOf(CellNames()), "recurrent cells");
    v("layers", layers, Range(1, 8), "measure 1 to this many stacked layers");
    v("units", units, Range(1, 1024), "features of a state");
    v("forget_gate_bias", forget_gate_bias, Range(-20, 20),
      "initial bias of forget gates (a GRU's update gates)");
    v("recurrent_only", recurrent_only,
      "leave out models with attention: to the states of one layer of the "
      "first cell, and to characters without a cell");
    v("fresh", fresh, "measure random weights only, without training");
  }
};

/// A measured network: stacked cells, attention over their states, or attention
/// over embedded characters (no layers).
struct ReachNetwork {
  std::string name;
  std::string cell;
  int layers = 1;
  bool attention = false;
};

std::vector<ReachNetwork> NetworksOf(const ReachCommand& command) {
  std::vector<ReachNetwork> networks;
  for (const std::string& cell : command.cells) {
    for (int layers = 1; layers <= command.layers; ++layers) {
      networks.push_back({cell, cell, layers});
    }
  }
  if (command.recurrent_only || command.cells.empty()) return networks;
  const std::string& cell = command.cells.front();
  networks.push_back({cell + " + attention", cell, 1, true});
  networks.push_back({"attention alone", cell, 0, true});
  return networks;
}

autocomplete::Settings SettingsFor(const ReachCommand& command,
                                   const ReachNetwork& network) {
  autocomplete::Settings settings;
  auto& rnn = settings.encoder.As<RnnConfig>();
  rnn.cell = network.cell;
  rnn.units = command.units;
  rnn.layers = network.layers;
  if (network.attention) rnn.self_attention = AttendedStates::kCausal;
  rnn.forget_gate_bias = command.forget_gate_bias;
  settings.data.batch_texts = 16;
  settings.Resolve();
  return settings;
}

LoadedModel TrainReach(const ReachCommand& command,
                       autocomplete::Settings& settings,
                       const PlainText& stories) {
  TrainingConfig training = TrainingIn(command.out + "/gradients-model",
                                       settings, kReachEpochs, command.seed);
  training.optimizer.learning_rate = 8e-3;
  training.optimizer.beta2 = 0.99;  // long-range gradients are rare
  training.optimizer.schedule = Schedule::kCosine;
  training.optimizer.warmup = 50;
  TrainOn(settings, stories, training);
  return ReadModel(training.run.out);
}

/// Returns the last characters of each story, all of one length.
Tensor MeasuredText(const ReachCommand& command, const TypingCodec& codec) {
  std::vector<std::vector<int32_t>> all;
  size_t T = SIZE_MAX;
  for (const std::string& story :
       MakeStories(kMeasuredStories, command.seed + 2)) {
    all.push_back(codec.Characters(TypedText(story, TypedForm::kLetters)));
    T = std::min(T, all.back().size());
  }
  Tensor ids({std::ssize(all), static_cast<int64_t>(T)}, DType::kI32);
  for (int64_t b = 0; b < ids.dim(0); ++b) {
    const std::vector<int32_t>& row = At(all, b);
    // The ends are kept, so that distances count from the last character.
    std::copy(row.end() - static_cast<std::ptrdiff_t>(T), row.end(),
              ids.row<int32_t>(b));
  }
  return ids;
}

/// Returns the largest distance at which the gradient is at least a tenth of
/// the maximum.
int64_t TenthAfter(const std::vector<double>& norms) {
  const double largest = *std::ranges::max_element(norms);
  int64_t last = 0;
  for (size_t k = 0; k < norms.size(); ++k) {
    if (norms[k] >= largest / 10) last = static_cast<int64_t>(k);
  }
  return last;
}

struct ReachCurve {
  ReachNetwork network;
  bool trained = false;
  std::vector<double> norms;

  Series AsSeries(const std::string& name) const {
    Series series = {name, {}, {}};
    for (size_t k = 0; k < norms.size(); ++k) {
      series.x.push_back(static_cast<double>(k));
      series.y.push_back(norms[k] >= kNoGradient ? norms[k] : NAN);
    }
    return series;
  }
};

/// Prints one line of the table.
void ShowReach(const ReachCurve& curve) {
  const auto at = [&](size_t k) {
    return k < curve.norms.size() ? curve.norms[k] : NAN;
  };
  fmt::print("{}{:>6}  {}{:>10.2g}{:>10.2g}{:>10.2g}{:>10.2g}{:>8}\n",
             Pad(curve.network.name, 23), curve.network.layers,
             Pad(curve.trained ? "trained" : "fresh", 9), at(0), at(10), at(20),
             at(40), TenthAfter(curve.norms));
  std::fflush(stdout);
}

LinePlotOptions ReachAxes(const std::string& title) {
  return {.title = title,
          .x_label = "characters back k",
          .y_label = "‖∂h_T / ∂x_(T−k)‖",
          .logarithmic_y = true};
}

std::string LayersName(int layers) {
  return fmt::format("{} layer{}", layers, layers == 1 ? "" : "s");
}

/// Draws a picture per cell, and one of all cells with one layer.
void DrawReach(const ReachCommand& command,
               const std::vector<ReachCurve>& curves) {
  for (const bool trained : {false, true}) {
    const char* weights = trained ? "trained" : "fresh";
    std::vector<Series> all;
    for (const std::string& cell : command.cells) {
      std::vector<Series> one;
      for (const ReachCurve& curve : curves) {
        if (curve.trained != trained || curve.network.name != cell) continue;
        one.push_back(curve.AsSeries(LayersName(curve.network.layers)));
      }
      if (one.empty()) continue;
      WritePicture(command.out, fmt::format("gradients-{}-{}", cell, weights),
                   LinePlotSvg(one, ReachAxes(fmt::format("{}, {} weights",
                                                          cell, weights))));
    }
    for (const ReachCurve& curve : curves) {
      if (curve.trained == trained && curve.network.layers <= 1) {
        all.push_back(curve.AsSeries(curve.network.name));
      }
    }
    if (all.empty()) continue;
    const LinePlotOptions axes =
        ReachAxes(fmt::format("At most one layer, {} weights", weights));
    WritePicture(command.out, fmt::format("gradients-{}", weights),
                 LinePlotSvg(all, axes));
    fmt::print("\n{}", TerminalLinePlot(all, axes, DetectTerminal()));
  }
}

void WriteReachJson(const ReachCommand& command,
                    const std::vector<ReachCurve>& curves) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ReachCurve& curve : curves) {
    json.push_back({{"cell", curve.network.name},
                    {"layers", curve.network.layers},
                    {"trained", curve.trained},
                    {"norms", curve.norms}});
  }
  WriteFileAtomically(
      command.out + "/gradients.json",
      nlohmann::ordered_json{{"units", command.units}, {"curves", json}}
              .dump() +
          "\n");
}

/// Returns the share of the gradient left after thirty more characters, as
/// text.
std::string ReachFinding(const std::vector<ReachCurve>& curves) {
  constexpr size_t kNear = 10, kFar = 40;
  std::string finding;
  for (const ReachCurve& curve : curves) {
    if (curve.network.layers > 1 || curve.norms.size() <= kFar) continue;
    const double near = curve.norms[kNear], far = curve.norms[kFar];
    if (!(near > kNoGradient)) continue;
    const double left = 100 * far / near;
    finding += fmt::format("  {}{}{}\n", Pad(curve.network.name, 23),
                           Pad(curve.trained ? "trained" : "fresh", 9),
                           left < 0.01 ? std::string("below 0.01 %")
                                       : fmt::format("{:.3g} %", left));
  }
  if (finding.empty()) return finding;
  return fmt::format(
      "\nFrom {} to {} characters back, this much of the gradient is left:\n{}",
      kNear, kFar, finding);
}

}  // namespace

int RunDemoGradients(const Arguments& arguments) {
  ReachCommand command;
  const auto limit = ParseDemo(
      command, arguments, "gradients",
      "How strongly the last state of a recurrent network depends on the "
      "character k steps before it, ‖∂h_T / ∂x_(T−k)‖, for each cell and 1 to "
      "4 stacked layers, with attention over the states and over the "
      "characters alone, with random weights and after training on stories "
      "that end as they began (about a minute).",
      {" --fresh", " --cells rnn,lstm --layers 2"});
  if (!limit) return 0;

  fmt::print(
      "{}layers  weights         k = 0        10        20        40  "
      "a tenth after\n",
      Pad("cell", 23));
  std::vector<ReachCurve> curves;
  for (const ReachNetwork& network : NetworksOf(command)) {
    autocomplete::Settings settings = SettingsFor(command, network);
    const PlainText stories =
        settings.Typed({MakeStories(kReachStories, command.seed), {}});
    const auto fresh = settings.MakeModel(stories, command.seed);
    const Tensor text = MeasuredText(command, fresh->codec);
    curves.push_back({network, false, GradientReach(fresh->network, text)});
    ShowReach(curves.back());
    if (command.fresh) continue;
    const LoadedModel trained = TrainReach(command, settings, stories);
    const auto& model =
        dynamic_cast<const autocomplete::Model&>(*trained.model);
    curves.push_back({network, true, GradientReach(model.network, text)});
    ShowReach(curves.back());
  }
  DrawReach(command, curves);
  WriteReachJson(command, curves);
  fmt::print(
      "\nThe pictures: {0}/gradients-*.svg\nThe numbers:  "
      "{0}/gradients.json\n{1}",
      command.out, ReachFinding(curves));
  return 0;
}

}  // namespace heed
