#include "heed/metrics/chrf.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/metrics/ngrams.h"

namespace heed {
namespace {

constexpr int kMaxLetters = 6;
constexpr double kBetaSquared = 4.0;

struct OrderCounts {
  int64_t hypothesis = 0;
  int64_t reference = 0;
  int64_t matches = 0;
};
using LetterCounts = std::array<OrderCounts, kMaxLetters>;

std::string WithoutWhitespace(std::string_view line) {
  std::string out;
  for (std::string_view word : SplitUnicodeWhitespace(line)) out += word;
  return out;
}

void AddSentence(std::string_view hypothesis, std::string_view reference,
                 LetterCounts* counts) {
  const auto hyp = Utf8Characters(hypothesis);
  const auto ref = Utf8Characters(reference);
  for (int n = 1; n <= kMaxLetters; ++n) {
    OrderCounts& order = (*counts)[n - 1];
    const int64_t reference_total = NgramTotal(ref.size(), n);
    // sacreBLEU 2 skips orders for which the sentence's reference is too short.
    if (reference_total == 0) continue;
    order.hypothesis += NgramTotal(hyp.size(), n);
    order.reference += reference_total;
    order.matches += CommonNgrams(CountNgrams(hyp, n), CountNgrams(ref, n));
  }
}

double FScore(const LetterCounts& counts) {
  double precision = 0.0;
  double recall = 0.0;
  int orders = 0;
  for (const OrderCounts& order : counts) {
    if (order.hypothesis == 0 || order.reference == 0) continue;
    const auto matches = static_cast<double>(order.matches);
    precision += matches / static_cast<double>(order.hypothesis);
    recall += matches / static_cast<double>(order.reference);
    ++orders;
  }
  if (precision + recall == 0.0) return 0.0;
  precision /= orders;
  recall /= orders;
  return 100.0 * (1.0 + kBetaSquared) * precision * recall /
         (kBetaSquared * precision + recall);
}

}  // namespace

ChrfScore CorpusChrf(std::span<const std::string> hypotheses,
                     std::span<const std::string> references) {
  if (hypotheses.size() != references.size()) {
    throw ShapeError("chrf: {} hypotheses for {} references", hypotheses.size(),
                     references.size());
  }
  LetterCounts counts;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    AddSentence(WithoutWhitespace(hypotheses[i]),
                WithoutWhitespace(references[i]), &counts);
  }
  return {FScore(counts),
          "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:"
          "heed-" HEED_VERSION};
}

}  // namespace heed
