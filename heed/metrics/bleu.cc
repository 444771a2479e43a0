#include "heed/metrics/bleu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/metrics/ngrams.h"

namespace heed {
namespace {

constexpr int kMaxOrder = 4;

// Strips trailing white space like Python's str.rstrip().
std::string_view TrimRight(std::string_view line) {
  const auto words = SplitUnicodeWhitespace(line);
  if (words.empty()) return {};
  const char* end = words.back().data() + words.back().size();
  return line.substr(0, static_cast<size_t>(end - line.data()));
}

struct Counts {
  std::array<int64_t, kMaxOrder> matches = {};
  std::array<int64_t, kMaxOrder> totals = {};
  int64_t hyp_len = 0;
  int64_t ref_len = 0;
};

/// Length of the reference nearest to `length`; the shorter of two.
int64_t NearestLength(int64_t length, std::span<const int64_t> references) {
  return *std::ranges::min_element(references, {}, [length](int64_t own) {
    return std::pair(std::abs(own - length), own);
  });
}

void AddSentence(std::string_view hypothesis, const References& references,
                 Counts* counts) {
  const auto hyp = SplitWhitespace(hypothesis);
  const auto length = static_cast<int64_t>(hyp.size());
  std::vector<std::vector<std::string_view>> refs;
  std::vector<int64_t> lengths;
  for (const std::string& reference : references) {
    lengths.push_back(
        std::ssize(refs.emplace_back(SplitWhitespace(reference))));
  }
  counts->hyp_len += length;
  counts->ref_len += NearestLength(length, lengths);
  for (int n = 1; n <= kMaxOrder; ++n) {
    NgramCounts most;  // in any one reference
    for (const auto& ref : refs) {
      for (const auto& [ngram, count] : CountNgrams(ref, n)) {
        most[ngram] = std::max(most[ngram], count);
      }
    }
    counts->totals[n - 1] += NgramTotal(hyp.size(), n);
    counts->matches[n - 1] += CommonNgrams(CountNgrams(hyp, n), most);
  }
}

double BrevityPenalty(int64_t hyp_len, int64_t ref_len) {
  if (hyp_len >= ref_len) return 1.0;
  if (hyp_len == 0) return 0.0;
  return std::exp(1.0 -
                  static_cast<double>(ref_len) / static_cast<double>(hyp_len));
}

std::array<double, kMaxOrder> SmoothedPrecisions(const Counts& counts) {
  std::array<double, kMaxOrder> precisions = {};
  double smoothing = 1.0;
  for (int n = 0; n < kMaxOrder && counts.totals[n] > 0; ++n) {
    auto matches = static_cast<double>(counts.matches[n]);
    if (counts.matches[n] == 0) matches = 1.0 / (smoothing *= 2.0);
    precisions[n] = 100.0 * matches / static_cast<double>(counts.totals[n]);
  }
  return precisions;
}

// Zero if any precision is zero: no effective order, the default of sacreBLEU.
double GeometricMean(const std::array<double, kMaxOrder>& precisions) {
  double log_sum = 0.0;
  for (double p : precisions) {
    if (p <= 0.0) return 0.0;
    log_sum += std::log(p);
  }
  return std::exp(log_sum / kMaxOrder);
}

}  // namespace

BleuScore CorpusBleu(std::span<const std::string> hypotheses,
                     std::span<const std::string> references,
                     const BleuOptions& options) {
  std::vector<References> one_each;
  for (const std::string& reference : references) {
    one_each.push_back({reference});
  }
  return CorpusBleu(hypotheses, one_each, options);
}

BleuScore CorpusBleu(std::span<const std::string> hypotheses,
                     std::span<const References> references,
                     const BleuOptions& options) {
  if (hypotheses.size() != references.size()) {
    throw ShapeError("bleu: {} hypotheses for {} references", hypotheses.size(),
                     references.size());
  }
  const auto tokenize = [&](const std::string& line) {
    const std::string cased = options.lowercase ? Lowercase(line) : line;
    return TokenizeForBleu(TrimRight(cased), options.tokenizer);
  };
  Counts counts;
  size_t fewest = hypotheses.empty() ? 1 : references[0].size();
  size_t most = fewest;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    if (references[i].empty()) {
      throw ShapeError("bleu: a hypothesis has no reference");
    }
    fewest = std::min(fewest, references[i].size());
    most = std::max(most, references[i].size());
    References tokens;
    std::ranges::transform(references[i], std::back_inserter(tokens), tokenize);
    AddSentence(tokenize(hypotheses[i]), tokens, &counts);
  }

  BleuScore result;
  result.hyp_len = counts.hyp_len;
  result.ref_len = counts.ref_len;
  result.brevity_penalty = BrevityPenalty(counts.hyp_len, counts.ref_len);
  // Smoothing alone must not give a score to a corpus without any match.
  if (std::ranges::any_of(counts.matches, [](int64_t m) { return m > 0; })) {
    result.precisions = SmoothedPrecisions(counts);
    result.score = result.brevity_penalty * GeometricMean(result.precisions);
  }
  result.signature = fmt::format(
      "nrefs:{}|case:{}|eff:no|tok:{}|smooth:exp|version:heed-" HEED_VERSION,
      fewest == most ? fmt::to_string(most) : "var",
      options.lowercase ? "lc" : "mixed", options.tokenizer.word());
  return result;
}

double SentenceBleu(std::string_view hypothesis, std::string_view reference) {
  // One buffer for each text, as CountNgrams needs.
  const auto joined = [](std::string_view text) {
    return fmt::format("{}", fmt::join(SplitWhitespace(text), " "));
  };
  Counts counts;
  AddSentence(joined(hypothesis), {joined(reference)}, &counts);
  double sum = 0;
  int orders = 0;
  for (; orders < kMaxOrder && counts.totals[orders] > 0; ++orders) {
    sum += std::log(static_cast<double>(counts.matches[orders] + 1) /
                    static_cast<double>(counts.totals[orders] + 1));
  }
  if (orders == 0) return 0;
  return 100 * BrevityPenalty(counts.hyp_len, counts.ref_len) *
         std::exp(sum / orders);
}

}  // namespace heed
