// heed plot: learning curves.
#include <fmt/format.h>

#include "apps/heed/commands.h"
#include "apps/heed/views.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/render/line_plot.h"
#include "heed/render/terminal.h"
#include "heed/train/learning_curves.h"
#include "heed/train/progress.h"

namespace heed {
namespace {

std::string TitleOf(const std::vector<TrainingRecord>& records,
                    const std::vector<std::string>& names) {
  return records.size() == 1
             ? fmt::format("Learning curves of {}", names[0])
             : fmt::format("Learning curves of {} runs", records.size());
}

void WarnOfDamage(const TrainingRecord& record) {
  constexpr size_t kShown = 3;
  const size_t count = record.problems.size();
  for (size_t i = 0; i < std::min(kShown, count); ++i) {
    PrintNote("warning: {}\n", record.problems[i]);
  }
  if (count > kShown) {
    PrintNote("warning: {}: {} more left out\n", record.folder,
              Counted(static_cast<int64_t>(count - kShown), "line"));
  }
}

}  // namespace

int RunPlot(const Arguments& arguments) {
  std::vector<std::string> folders;
  std::string out;
  LearningCurveOptions curves;
  Options options(
      "plot",
      "Draws learning curves: the loss of training and validation, the measure "
      "that chose the weights, and the learning rate, from the metrics.jsonl "
      "that heed train writes, also while it runs. Several folders give one "
      "curve each, named by the settings that differ. Without --out the curves "
      "are drawn in the terminal.");
  options.Positionals("DIR", folders, "model folders of heed train");
  FieldList& v = options.fields();
  v("x", curves.x,
    "horizontal axis; time: training time, without breaks before --resume");
  v("measures", curves.measures, Any{"NAME"},
    "measures to draw, by their names in metrics.jsonl, such as gradient_norm "
    "(default: nll, valid_loss, the measure of --metric and learning_rate)");
  v("out", out, Any{"FILE"},
    "write .svg or .png (default: draw in the terminal)");
  options.Example("heed plot model");
  options.Example("heed plot run1 run2 run3 --x epochs --out curves.svg");
  options.Example(
      "heed plot model --measures gradient_norm,tokens_per_second --out "
      "speed.png");
  if (!options.Parse(arguments)) return 0;
  if (!out.empty()) CheckPicture(out);

  std::vector<TrainingRecord> records;
  for (const std::string& folder : folders) {
    records.push_back(ReadTrainingRecord(folder));
    WarnOfDamage(records.back());
  }
  const std::vector<std::string> names = NameRuns(records);
  const std::vector<LinePlotPanel> panels =
      PlotLearningCurves(records, names, curves);
  for (const TrainingRecord& record : records) {
    if (!record.curves.empty()) continue;
    PrintNote("warning: {}: nothing recorded yet\n", record.folder);
  }
  if (!out.empty()) {
    WritePicture(out, LinePlotsSvg(panels, names, TitleOf(records, names)));
    Print("{}: written\n", out);
    return 0;
  }
  const TerminalOptions terminal = DetectTerminal();
  for (const LinePlotPanel& panel : panels) {
    Print("{}\n", TerminalLinePlot(panel.series, panel.options, terminal));
  }
  return 0;
}

}  // namespace heed
