#include <fmt/format.h>

#include "heed/base/timing.h"
#include "heed/tasks/autocomplete/autocomplete.h"
#include "heed/train/progress.h"

namespace heed::autocomplete {

Report Settings::Evaluate(const Model& model, const Evaluation& options) const {
  const std::vector<std::string> lines = options.text.Lines();
  const auto start = Clock::now();
  const TypingScore score = model.Score(lines);
  Report report;
  report.heading =
      fmt::format("{}, {} of unknown words, in {:.1f} s",
                  Counted(score.all.characters + score.unknown, "character"),
                  score.unknown, SecondsSince(start));
  report.figures = {{"accuracy", "accuracy", 100 * score.all.First(), 2, "%",
                     "of predictions after each character and space"},
                    {"accuracy_3", "accuracy of 3", 100 * score.all.Third(), 2,
                     "%", "the word is one of the three most probable"},
                    {"loss", "loss", score.all.Loss(), 4, "",
                     "per character, natural logarithm"}};
  report.details = {{"characters", score.all.characters},
                    {"unknown", score.unknown}};
  report.text = fmt::format("{:>6} {:>11} {:>8} {:>8} {:>8}\n", "typed",
                            "characters", "first %", "of 3 %", "loss");
  Series curve;
  for (size_t i = 0; i < score.seen.size(); ++i) {
    const TypingScore::Counts& counts = score.seen[i];
    const bool more = i > TypingScore::kMaxSeen;
    report.text += fmt::format(
        "{:>5}{} {:>11} {:>8} {:>8} {:>8}\n", i, more ? "+" : " ",
        counts.characters, FigureText(100 * counts.First(), 2),
        FigureText(100 * counts.Third(), 2), FigureText(counts.Loss(), 4));
    report.details["typed"].push_back({{"seen", i},
                                       {"or_more", more},
                                       {"characters", counts.characters},
                                       {"first", 100 * counts.First()},
                                       {"third", 100 * counts.Third()},
                                       {"loss", counts.Loss()}});
    if (more || counts.characters == 0) continue;
    curve.x.push_back(static_cast<double>(i));
    curve.y.push_back(100 * counts.First());
  }
  if (!options.by_length.empty()) {
    report.curve = std::move(curve);
    report.axes = {"Predictions of the word that is being typed",
                   "characters typed", "% right"};
  }
  return report;
}

}  // namespace heed::autocomplete
