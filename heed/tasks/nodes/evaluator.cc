#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/at.h"
#include "heed/base/console.h"
#include "heed/base/errors.h"
#include "heed/base/timing.h"
#include "heed/data/input_lines.h"
#include "heed/io/file.h"
#include "heed/metrics/classification.h"
#include "heed/tasks/class_table.h"
#include "heed/tasks/nodes/nodes.h"
#include "heed/train/progress.h"

namespace heed::nodes {
namespace {

/// Number of `nodes` that are among `those`.
int64_t CountAmong(std::span<const int32_t> nodes, std::vector<int32_t> those) {
  std::ranges::sort(those);
  return std::ranges::count_if(nodes, [&](int32_t node) {
    return std::ranges::binary_search(those, node);
  });
}

/// The graph of the model with the labels of a file.
NodeGraph WithLabels(const NodeGraph& graph, const std::string& path) {
  NodeGraph other = graph;
  int64_t count = 0;
  ForEachLine(path, [&](std::string_view line, int64_t number) {
    const std::string place = fmt::format("{}:{}", path, number);
    if (number > graph.size()) {
      throw FormatError("{}: a label, but the model has {} nodes", place,
                        graph.size());
    }
    At(other.labels, number - 1) =
        line == "?" ? -1 : graph.ClassNamed(line, place);
    count = number;
    return true;
  });
  if (count != graph.size()) {
    throw FormatError("{}: {} labels, but the model has {} nodes", path, count,
                      graph.size());
  }
  return other;
}

}  // namespace

Report Settings::Evaluate(const Model& nodes, const Evaluation& options) const {
  const NodeGraph labelled = options.labels.empty()
                                 ? nodes.graph()
                                 : WithLabels(nodes.graph(), options.labels);
  const std::vector<int32_t> chosen = ReadNodes(options.nodes, labelled);
  for (const auto& [those, what] :
       {std::pair{&nodes.data.train, "taught the model"},
        {&nodes.data.valid, "chose its weights"}}) {
    const int64_t seen = CountAmong(chosen, *those);
    if (seen == 0) continue;
    Warn(fmt::format("{} of {} nodes {}: figures of them say little", seen,
                     chosen.size(), what));
  }
  const auto start = Clock::now();
  const Tensor p = nodes.Probabilities({});
  Report report;
  report.heading =
      fmt::format("{} in {:.1f} ms", Counted(std::ssize(chosen), "node"),
                  1000 * SecondsSince(start));
  std::vector<int32_t> predicted;
  std::vector<int32_t> gold;
  double nll = 0;
  for (const int32_t node : chosen) {
    const std::span<const float> row(p.row<float>(node),
                                     static_cast<size_t>(p.dim(1)));
    predicted.push_back(
        static_cast<int32_t>(std::ranges::max_element(row) - row.begin()));
    gold.push_back(At(labelled.labels, node));
    nll -= std::log(
        std::max(At(row, gold.back()), std::numeric_limits<float>::min()));
  }
  const ClassReport scores = ScoreClasses(predicted, gold, nodes.classes());
  report.figures = {
      {"accuracy", "accuracy", 100 * scores.accuracy, 2, "%",
       "nodes whose class is right"},
      {"macro_f1", "macro F1", 100 * MacroF1(scores.classes), 2, "%", ""},
      {"loss", "loss", nll / static_cast<double>(chosen.size()), 3, "",
       "per node"}};
  report.details["nodes"] = chosen.size();
  report.details["confusion"] = scores.confusion;
  AddClasses(
      report, "class", "nodes",
      [&](int32_t c) { return At(labelled.classes, c); }, scores.classes);
  return report;
}

}  // namespace heed::nodes
