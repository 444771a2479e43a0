#include <fmt/format.h>

#include <algorithm>

#include "heed/base/errors.h"
#include "heed/base/timing.h"
#include "heed/metrics/classification.h"
#include "heed/tasks/class_table.h"
#include "heed/tasks/classify/classify.h"
#include "heed/train/progress.h"

namespace heed::classify {
Report Settings::Evaluate(const Model& model, const Evaluation& options) const {
  const LabelSet& labels = model.labels;
  LabelledFormat format = options.format;
  format.multi_label = data.format.multi_label;
  const LabelledText text = ReadLabelled(options.files, format);
  if (text.pairs() != model.pairs()) {
    throw ConfigError(
        model.pairs()
            ? "the model reads pairs of texts; name the column of the "
              "second with --second-column"
            : "the model reads single texts; leave --second-column 0");
  }
  const LabelledCorpus corpus = model.Encode(text, true);
  const TextLabels& gold = corpus.corpus.target;
  const auto start = Clock::now();
  const Model::Answers answers =
      model.Answer({}, corpus, true, options.threshold);
  Report report;
  report.heading = fmt::format(
      "{} in {:.1f} s", Counted(std::ssize(gold), "text"), SecondsSince(start));
  report.figures.push_back(
      {"loss", "loss", answers.nll_per_text(), 3, "", "per text"});
  for (const auto& [key, value] : model.Score(corpus, answers)) {
    std::string label = key;
    std::replace(label.begin(), label.end(), '_', ' ');
    report.figures.push_back({key, label, value, 2, "%", ""});
  }
  std::vector<ClassScore> classes;
  if (data.format.multi_label) {
    classes = ScoreLabelSets(answers.chosen, gold, labels.size()).classes;
  } else {
    const ClassReport scores = ScoreClasses(SingleLabels(answers.chosen),
                                            SingleLabels(gold), labels.size());
    classes = scores.classes;
    report.details["confusion"] = scores.confusion;
    if (labels.size() == 2) {
      std::vector<double> second;
      for (const auto& p : answers.probabilities) second.push_back(p[1]);
      report.figures.push_back({"auc", "ROC AUC",
                                100 * RocAuc(second, SingleLabels(gold)), 2,
                                "%", "of label " + labels.Name(1)});
    }
  }
  report.details["texts"] = gold.size();
  AddClasses(
      report, "label", "texts", [&](int32_t c) { return labels.Name(c); },
      classes);
  return report;
}

}  // namespace heed::classify
