#include <fmt/format.h>

#include "heed/base/at.h"
#include "heed/base/timing.h"
#include "heed/metrics/classification.h"
#include "heed/tasks/class_table.h"
#include "heed/tasks/one_answer/model.h"
#include "heed/train/progress.h"

namespace heed::one_answer {
namespace {

/// A metric of Score as a figure of a report.
Figure FigureOf(const std::string& key, double value) {
  if (key == "accuracy") return {key, "accuracy", value, 2, "%", ""};
  if (key == "macro_f1") return {key, "macro F1", value, 2, "%", ""};
  if (key == "loss") return {key, "loss", value, 4, "nats", "per input"};
  return {key, key == "mae" ? "MAE" : "RMSE", value, 4, "", ""};
}

}  // namespace

Report Settings::Evaluate(const Model& model, const Evaluation& options) const {
  const ExampleSet gold =
      ReadExamples(*task_, options.files, options.format, max_length);
  const auto start = Clock::now();
  const Tensor answers = model.Answers({}, gold.corpus);
  Report report;
  report.heading = fmt::format("{} in {:.1f} s", Counted(gold.size(), "input"),
                               SecondsSince(start));
  for (const auto& [key, value] : model.Score(answers, gold)) {
    report.figures.push_back(FigureOf(key, value));
  }
  report.details["inputs"] = gold.size();
  if (!model.of_labels()) return report;
  const ClassReport scores = ClassReportOf(answers, gold.corpus);
  report.details["confusion"] = scores.confusion;
  AddClasses(
      report, "label", "inputs",
      [this](int32_t c) { return At(task_->labels, c); }, scores.classes);
  return report;
}

}  // namespace heed::one_answer
