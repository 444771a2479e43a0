#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/timing.h"
#include "heed/tasks/pretrain/pretrain.h"
#include "heed/train/progress.h"

namespace heed::pretrain {

Report Settings::Evaluate(const Model& model, const Evaluation& options) const {
  const PretrainingCorpus corpus =
      model.EncodeToMeasure(ReadTexts(options.texts, options.columns));
  const auto start = Clock::now();
  const PretrainScore score = model.Score(corpus);
  Report report;
  report.heading = fmt::format(
      "{}, {} to predict in {:.1f} s",
      Counted(corpus.corpus.size(),
              model.network().has_next_sentence() ? "pair" : "text"),
      Counted(score.words, "word"), SecondsSince(start));
  const double random = RatioOf(static_cast<double>(score.random), score.texts);
  report.figures = {{"word_accuracy", "word accuracy",
                     100 * score.word_accuracy(), 2, "%", "of hidden words"},
                    {"word_perplexity", "word perplexity",
                     std::exp(score.word_loss()), 3, "", "of hidden words"}};
  if (model.network().has_next_sentence()) {
    report.figures.push_back(
        {"next_accuracy", "next accuracy", 100 * score.next_accuracy(), 2, "%",
         fmt::format("always the commoner answer: {:.2f} %",
                     100 * std::max(random, 1 - random))});
  }
  report.figures.push_back({"loss", "loss", score.loss(), 4, "",
                            "per word and per pair, natural logarithm"});
  report.details = {{"pairs", score.texts},
                    {"words", score.words},
                    {"random_next", score.random}};
  return report;
}

}  // namespace heed::pretrain
