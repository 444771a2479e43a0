#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>

#include "heed/base/text.h"
#include "heed/base/timing.h"
#include "heed/metrics/metrics.h"
#include "heed/tasks/read/read.h"
#include "heed/train/progress.h"

namespace heed::read {
CommonAnswer MostFrequentAnswer(std::span<const PassageQuestion> questions,
                                bool lowercase) {
  std::map<std::string, int64_t> counts;
  for (const PassageQuestion& question : questions) {
    const std::string answer(TrimBlanks(question.answer));
    ++counts[lowercase ? Lowercase(answer) : answer];
  }
  CommonAnswer max;
  for (const auto& [answer, count] : counts) {
    if (count > max.questions) max = {answer, count};
  }
  return max;
}

Report Settings::Evaluate(const Model& made, const Evaluation& options) const {
  const std::vector<PassageQuestion> questions =
      ReadPassages(options.passages, options.format);
  const auto start = Clock::now();
  const PassageCorpus corpus = made.Encode(questions);
  made.WarnOfCut(corpus);
  const PassageScore score =
      ScoreAnswers(corpus, made.LogProbabilities({}, corpus));
  const CommonAnswer common =
      MostFrequentAnswer(questions, data.vocabulary.lowercase);
  const bool offered = std::ranges::any_of(
      questions, [](const auto& q) { return !q.candidates.empty(); });
  const double percent = 100.0 / static_cast<double>(score.questions);
  Report report;
  report.heading =
      fmt::format("{} in {:.1f} s", Counted(score.questions, "question"),
                  SecondsSince(start));
  report.figures = {
      {"accuracy", "accuracy", score.accuracy(), 2, "%", ""},
      {"loss", "loss", score.loss(), 3, "", "mean of −log p(answer)"},
      {"most_frequent", "most frequent answer",
       percent * static_cast<double>(common.questions), 2, "%",
       fmt::format("accuracy of answering '{}' to all of these questions",
                   common.answer)},
      {"most_named", "most named candidate",
       offered ? percent * static_cast<double>(score.frequent) : kNoFigure, 2,
       "%", "accuracy of the candidate that a passage names most often"}};
  if (score.missing > 0) {
    report.figures.push_back({"missing", "answers not in the passage",
                              percent * static_cast<double>(score.missing), 2,
                              "%", "they count as wrong, but not in the loss"});
  }
  report.details = {{"questions", score.questions}, {"missing", score.missing}};
  return report;
}

}  // namespace heed::read
