// heed demo gradients: why plain recurrences forget, measured.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "demos/demos.h"
#include "demos/gradient_reach.h"
#include "demos/training_in.h"
#include "heed/base/threads.h"
#include "heed/data/stories.h"
#include "heed/io/file.h"
#include "heed/models/rnn_config.h"
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
// Below it a gradient is nothing beside the rounding of the others.
constexpr double kNoGradient = 1e-12;

std::vector<std::string> NamesOfCells(std::initializer_list<Cell> cells) {
  std::vector<std::string> names;
  for (const Cell cell : cells) names.push_back(Named<Cell>(cell).word());
  return names;
}

struct ReachCommand {
  std::string out = "heed-pictures";
  std::vector<std::string> cells =
      NamesOfCells({Cell::kRnn, Cell::kGru, Cell::kLstm, Cell::kNestedLstm});
  int layers = 4;
  int units = 48;
  double forget_gate_bias = 0;
  bool fresh = false;
  uint64_t seed = 1;
  int threads = 0;

  void Visit(FieldList& v) {
    v("out", out, Any{"DIR"}, "folder for the pictures");
    v("cells", cells, OneOf(CellNames()), "recurrent cells");
    v("layers", layers, Range(1, 8), "measure 1 to this many stacked layers");
    v("units", units, Range(1, 1024), "features of a state");
    v("forget_gate_bias", forget_gate_bias, Range(-20, 20),
      "initial bias of forget gates (a GRU's update gates)");
    v("fresh", fresh, "measure random weights alone; nothing is trained");
    v("seed", seed, "of the stories and the weights");
    v("threads", threads, Range(0, 1024), "threads; 0: one per core");
  }
};

AutocompleteSettings SettingsFor(const ReachCommand& command,
                                 const std::string& cell, int layers) {
  AutocompleteSettings settings;
  auto& rnn = settings.encoder.As<RnnConfig>();
  rnn.cell = cell;
  rnn.units = command.units;
  rnn.layers = layers;
  rnn.forget_gate_bias = command.forget_gate_bias;
  settings.data.batch_texts = 16;
  settings.Resolve();
  return settings;
}

LoadedModel TrainReach(const ReachCommand& command,
                       AutocompleteSettings& settings,
                       const PlainText& stories) {
  TrainingConfig training = TrainingIn(command.out + "/gradients-model",
                                       settings, kReachEpochs, command.seed);
  training.optimizer.learning_rate = 8e-3;
  training.optimizer.beta2 = 0.99;  // what is far away shows in few gradients
  training.optimizer.schedule = "cosine";
  training.optimizer.warmup = 50;
  TrainOn(settings, stories, training);
  return ReadModel(training.run.out);
}

/// Stories cut to one length.
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
    const std::vector<int32_t>& row = all[static_cast<size_t>(b)];
    // Their ends, so that distances are those from the last character.
    std::copy(row.end() - static_cast<std::ptrdiff_t>(T), row.end(),
              ids.row<int32_t>(b));
  }
  return ids;
}

/// Steps back after which the gradient is a tenth of the largest one.
int64_t TenthAfter(const std::vector<double>& norms) {
  const double largest = *std::ranges::max_element(norms);
  int64_t last = 0;
  for (size_t k = 0; k < norms.size(); ++k) {
    if (norms[k] >= largest / 10) last = static_cast<int64_t>(k);
  }
  return last;
}

struct ReachCurve {
  std::string cell;
  int layers = 0;
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

/// One line of the table.
void ShowReach(const ReachCurve& curve) {
  const auto at = [&](size_t k) {
    return k < curve.norms.size() ? curve.norms[k] : NAN;
  };
  fmt::print("{}{:>6}  {}{:>10.2g}{:>10.2g}{:>10.2g}{:>10.2g}{:>8}\n",
             Pad(curve.cell, 14), curve.layers,
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

/// A picture for each cell, and one of all cells with one layer.
void DrawReach(const ReachCommand& command,
               const std::vector<ReachCurve>& curves) {
  for (const bool trained : {false, true}) {
    const char* weights = trained ? "trained" : "fresh";
    std::vector<Series> all;
    for (const std::string& cell : command.cells) {
      std::vector<Series> one;
      for (const ReachCurve& curve : curves) {
        if (curve.trained != trained || curve.cell != cell) continue;
        one.push_back(curve.AsSeries(LayersName(curve.layers)));
        if (curve.layers == 1) all.push_back(curve.AsSeries(cell));
      }
      if (one.empty()) continue;
      WritePicture(command.out, fmt::format("gradients-{}-{}", cell, weights),
                   LinePlotSvg(one, ReachAxes(fmt::format("{}, {} weights",
                                                          cell, weights))));
    }
    if (all.empty()) continue;
    const LinePlotOptions axes =
        ReachAxes(fmt::format("One layer, {} weights", weights));
    WritePicture(command.out, fmt::format("gradients-{}", weights),
                 LinePlotSvg(all, axes));
    fmt::print("\n{}", TerminalLinePlot(all, axes, DetectTerminal()));
  }
}

void WriteReachJson(const ReachCommand& command,
                    const std::vector<ReachCurve>& curves) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ReachCurve& curve : curves) {
    json.push_back({{"cell", curve.cell},
                    {"layers", curve.layers},
                    {"trained", curve.trained},
                    {"norms", curve.norms}});
  }
  WriteFileAtomically(
      command.out + "/gradients.json",
      nlohmann::ordered_json{{"units", command.units}, {"curves", json}}
              .dump() +
          "\n");
}

}  // namespace

int RunDemoGradients(const Arguments& arguments) {
  ReachCommand command;
  Options options(
      "demo gradients",
      "How strongly the last state of a recurrent network depends on the "
      "character k steps before it, ‖∂h_T / ∂x_(T−k)‖, for each cell and 1 to "
      "4 "
      "stacked layers, with random weights and after training on stories that "
      "end as they began (about a minute).");
  command.Visit(options.fields());
  options.Example("heed demo gradients --fresh");
  options.Example("heed demo gradients --cells rnn,lstm --layers 2");
  if (!options.Parse(arguments)) return 0;

  const ThreadLimit limit(command.threads);
  fmt::print(
      "{}layers  weights         k = 0        10        20        40  "
      "a tenth after\n",
      Pad("cell", 14));
  std::vector<ReachCurve> curves;
  for (const std::string& cell : command.cells) {
    for (int layers = 1; layers <= command.layers; ++layers) {
      AutocompleteSettings settings = SettingsFor(command, cell, layers);
      const PlainText stories =
          settings.Typed({MakeStories(kReachStories, command.seed), {}});
      const auto fresh = settings.Learn(stories, command.seed);
      const Tensor text = MeasuredText(command, fresh->codec);
      curves.push_back(
          {cell, layers, false, GradientReach(fresh->network, text)});
      ShowReach(curves.back());
      if (command.fresh) continue;
      const LoadedModel trained = TrainReach(command, settings, stories);
      const auto& model =
          dynamic_cast<const AutocompleteModel&>(*trained.model);
      curves.push_back(
          {cell, layers, true, GradientReach(model.network, text)});
      ShowReach(curves.back());
    }
  }
  DrawReach(command, curves);
  WriteReachJson(command, curves);
  fmt::print(
      "\nThe pictures: {0}/gradients-*.svg\nThe numbers:  "
      "{0}/gradients.json\n",
      command.out);
  return 0;
}

}  // namespace heed
