#include <fmt/format.h>

#include "heed/base/timing.h"
#include "heed/metrics/classification.h"
#include "heed/tasks/class_table.h"
#include "heed/tasks/one_answer/model.h"
#include "heed/train/progress.h"

namespace heed::one_answer {
namespace {

/// The figures of Score, as a report shows them.
std::vector<Figure> FiguresOf(const Metrics& metrics) {
  std::vector<Figure> figures;
  for (const auto& [key, value] : metrics) {
    const bool percent = key == "accuracy" || key == "macro_f1";
    const std::string label = key == "accuracy"   ? "accuracy"
                              : key == "macro_f1" ? "macro F1"
                              : key == "loss"     ? "loss"
                              : key == "mae"      ? "MAE"
                                                  : "RMSE";
    figures.push_back({key, label, value, percent ? 2 : 4, percent ? "%" : "",
                       key == "loss" ? "nats per input" : ""});
  }
  return figures;
}

}  // namespace

Report Settings::Measure(const Model& model, const Evaluation& options) const {
  const ExampleSet gold =
      ReadExamples(*task_, options.files, options.format, max_length);
  const auto start = Clock::now();
  const Tensor answers = model.Answers({}, gold.corpus);
  Report report;
  report.heading = fmt::format("{} in {:.1f} s", Counted(gold.size(), "input"),
                               SecondsSince(start));
  report.figures = FiguresOf(model.Score(answers, gold));
  report.details["inputs"] = gold.size();
  if (!model.of_labels()) return report;
  const ClassReport scores = ClassReportOf(answers, gold.corpus);
  report.details["confusion"] = scores.confusion;
  std::vector<ClassFigures> rows;
  for (size_t c = 0; c < scores.classes.size(); ++c) {
    const ClassScore& score = scores.classes[c];
    rows.push_back({task_->labels[c], 100 * score.precision(),
                    100 * score.recall(), 100 * score.f1(), score.gold});
  }
  AddClasses(report, "label", "inputs", rows);
  return report;
}

}  // namespace heed::one_answer
