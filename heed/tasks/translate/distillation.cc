#include "heed/tasks/translate/distillation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "heed/base/at.h"
#include "heed/base/text.h"
#include "heed/data/batches.h"
#include "heed/metrics/bleu.h"
#include "heed/tasks/target_loss.h"
#include "heed/train/progress.h"

namespace heed::translate {
namespace {

/// Number of pairs whose tokens are in memory together.
constexpr size_t kScoredTogether = 20'000;

void AppendPair(const ParallelText& from, size_t i, ParallelText& to) {
  to.source.push_back(from.source[i]);
  to.target.push_back(from.target[i]);
}

double LengthRatio(const std::string& source, const std::string& target) {
  constexpr double kMargin = 10;  // so that short texts may differ more
  return (static_cast<double>(CountCharacters(target)) + kMargin) /
         (static_cast<double>(CountCharacters(source)) + kMargin);
}

double MedianRatio(const ParallelText& text) {
  std::vector<double> ratios;
  for (size_t i = 0; i < text.source.size(); ++i) {
    ratios.push_back(LengthRatio(text.source[i], text.target[i]));
  }
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + std::ssize(ratios) / 2;
  std::ranges::nth_element(ratios, middle);
  return *middle;
}

}  // namespace

size_t BestTranslation(std::span<const std::string> translations,
                       std::string_view reference) {
  std::vector<double> scores;
  for (const std::string& translation : translations) {
    scores.push_back(SentenceBleu(translation, reference));
  }
  return static_cast<size_t>(std::ranges::max_element(scores) - scores.begin());
}

void FilterOptions::Visit(FieldList& v) {
  v("max_words", max_words, Range(1, 100000),
    "drop pairs with more than N words on a side");
  v("max_ratio", max_ratio, Range(1, 1000),
    "drop pairs of which one side is X times longer than usual beside the "
    "other");
}

std::string FilteredText::Summary() const {
  return fmt::format(
      "{}; dropped: {} empty, {} too long, {} copies, {} repeated, {} of odd "
      "lengths",
      Counted(std::ssize(text.source), "pair"), empty, longer, copies, repeated,
      ratio);
}

FilteredText FilterPairs(const ParallelText& text,
                         const FilterOptions& options) {
  const double usual = MedianRatio(text);
  std::unordered_set<std::string> known;
  FilteredText result;
  for (size_t i = 0; i < text.source.size(); ++i) {
    const auto source = SplitUnicodeWhitespace(text.source[i]);
    const auto target = SplitUnicodeWhitespace(text.target[i]);
    const double ratio = LengthRatio(text.source[i], text.target[i]) / usual;
    if (source.empty() || target.empty()) {
      ++result.empty;
    } else if (std::cmp_greater(std::max(source.size(), target.size()),
                                options.max_words)) {
      ++result.longer;
    } else if (source == target) {
      ++result.copies;
    } else if (std::max(ratio, 1 / ratio) > options.max_ratio) {
      ++result.ratio;
    } else if (!known
                    .insert(fmt::format("{}\n{}", fmt::join(source, " "),
                                        fmt::join(target, " ")))
                    .second) {
      ++result.repeated;
    } else {
      AppendPair(text, i, result.text);
    }
  }
  return result;
}

std::vector<double> ScoresPerWord(
    const Model& model, const ParallelText& text,
    const std::function<void(int64_t)>& on_pairs) {
  const Vocabularies& v = model.vocabularies;
  CorpusOptions options;
  options.max_length =
      static_cast<int>(TokensWithin(*model.model, kMaxMeasuredTokens));
  options.copies = model.data.copy;
  std::vector<double> scores(text.source.size(),
                             -std::numeric_limits<double>::infinity());
  int64_t done = 0;
  for (size_t first = 0; first < scores.size(); first += kScoredTogether) {
    const size_t end = std::min(first + kScoredTogether, scores.size());
    ParallelText part;
    for (size_t i = first; i < end; ++i) AppendPair(text, i, part);
    if (model.data.lowercase) LowercaseText(part);
    const Corpus corpus = EncodeCorpus(part, v.source, v.target, options);
    for (const auto& indices :
         PlanBatches(corpus, {model.data.batch_tokens, 0}, 0, 0)) {
      const Batch batch = MakeBatch(corpus, indices);
      const Tensor log_p =
          Pick(LogSoftmax(TargetLogits(*model.model, {}, batch)),
               Tensor::Of(batch.target_out, {batch.T, batch.B}))
              .value();
      for (int b = 0; b < batch.B; ++b) {
        double sum = 0;
        for (int t = 0; t < batch.T; ++t) sum += log_p.row<float>(t)[b];
        const int64_t line = At(corpus.lines, batch.indices[b]);
        const auto words = SplitUnicodeWhitespace(At(part.target, line)).size();
        scores[first + static_cast<size_t>(line)] =
            sum / static_cast<double>(words + 1);
      }
      on_pairs(done += batch.B);
    }
  }
  return scores;
}

ParallelText WithoutWorst(const ParallelText& text,
                          std::span<const double> scores, double share) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return scores[i]; });
  const auto dropped = static_cast<std::ptrdiff_t>(
      std::floor(share * static_cast<double>(order.size())));
  order.erase(order.begin(), order.begin() + dropped);
  std::ranges::sort(order);
  ParallelText kept;
  for (const size_t i : order) AppendPair(text, i, kept);
  return kept;
}

}  // namespace heed::translate
