#include <fmt/format.h>

#include <algorithm>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/base/timing.h"
#include "heed/tasks/lm/language.h"
#include "heed/train/progress.h"

namespace heed::lm {
namespace {

constexpr int kMaxLetters = 3;

void AddCompletion(const std::vector<CompletionAccuracy>& accuracies,
                   Report& report) {
  report.text = fmt::format("{:>7} {:>8} {:>8} {:>9}\n", "letters", "words",
                            "first %", "first 3 %");
  for (const CompletionAccuracy& a : accuracies) {
    const double first = RatioOf(100 * static_cast<double>(a.first), a.words);
    const double third = RatioOf(100 * static_cast<double>(a.third), a.words);
    report.text += fmt::format("{:>7} {:>8} {:>8} {:>9}\n", a.letters, a.words,
                               FigureText(first, 2), FigureText(third, 2));
    report.details["completion"].push_back({{"letters", a.letters},
                                            {"words", a.words},
                                            {"first", first},
                                            {"third", third}});
  }
}

}  // namespace

Report Settings::Evaluate(const Model& language,
                          const Evaluation& options) const {
  std::vector<std::string> lines = options.text.Lines();
  for (std::string& line : lines) line = language.Normalized(std::move(line));
  const auto start = Clock::now();
  const LanguageScore score = language.Score({}, lines);
  Report report;
  report.heading = fmt::format(
      "{}, {} ({} unknown) in {:.1f} s", Counted(score.text.lines, "line"),
      Counted(score.tokens, "token"), score.unknown, SecondsSince(start));
  report.figures = {
      {"perplexity", "perplexity", score.perplexity(), 3, "",
       "per token, teacher forcing"},
      {"word_perplexity", "word perplexity", score.word_perplexity(), 3, "",
       "per white-space word and line end, teacher forcing"},
      {"bits_per_character", "bits per character", score.bits_per_character(),
       4, "", "line ends included, teacher forcing"},
      {"loss", "loss", score.loss(), 4, "", "per token, natural logarithm"}};
  report.details = {{"lines", score.text.lines},
                    {"tokens", score.tokens},
                    {"unknown", score.unknown},
                    {"words", score.text.words},
                    {"characters", score.text.characters}};
  if (options.complete == 0) return report;
  AddCompletion(
      MeasureCompletion(
          Completer(*language.network, language.vocabulary, options.completion),
          lines, options.complete),
      report);
  return report;
}

std::vector<CompletionAccuracy> MeasureCompletion(
    const Completer& completer, const std::vector<std::string>& lines,
    int words) {
  int64_t all = 0;
  for (const std::string& line : lines)
    all += std::ssize(SplitWhitespace(line));
  const int64_t step = std::max<int64_t>(1, all / words);
  std::vector<CompletionAccuracy> result(kMaxLetters + 1);
  for (int letters = 0; letters <= kMaxLetters; ++letters) {
    At(result, letters).letters = letters;
  }
  int64_t number = 0;
  for (const std::string& line : lines) {
    for (const std::string_view word : SplitWhitespace(line)) {
      if (number++ % step != 0) continue;
      const auto before = static_cast<size_t>(word.data() - line.data());
      size_t typed = 0;  // bytes
      const auto characters = Utf8Characters(word);
      for (CompletionAccuracy& a : result) {
        const auto letters = static_cast<size_t>(a.letters);
        if (letters >= characters.size()) break;
        const auto best = completer.Complete(
            std::string_view(line).substr(0, before + typed));
        const auto place =
            std::find_if(best.begin(), best.end(),
                         [&](const Completion& c) { return c.word == word; });
        ++a.words;
        a.first += place == best.begin() && place != best.end() ? 1 : 0;
        a.third += place - best.begin() < 3 && place != best.end() ? 1 : 0;
        typed += characters[letters].size();
      }
    }
  }
  return result;
}

}  // namespace heed::lm
