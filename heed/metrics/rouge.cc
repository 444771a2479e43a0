#include "heed/metrics/rouge.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/metrics/ngrams.h"

namespace heed {
namespace {

using RougeUnits = std::vector<std::string_view>;

/// Precision, recall and F1 from the counts of matches and of both texts.
RougeScore ShareOf(int64_t matches, int64_t summary, int64_t reference) {
  if (matches == 0) return {};
  const auto count = static_cast<double>(matches);
  const double precision = count / static_cast<double>(summary);
  const double recall = count / static_cast<double>(reference);
  return {precision, recall, 2 * precision * recall / (precision + recall)};
}

RougeScore NgramShare(const RougeUnits& summary, const RougeUnits& reference,
                      int n) {
  return ShareOf(
      CommonNgrams(CountNgrams(summary, n), CountNgrams(reference, n)),
      NgramTotal(summary.size(), n), NgramTotal(reference.size(), n));
}

/// Length of the longest common subsequence, computed for 64 units of `a` at a
/// time. After each unit of `b`, bit i of `open` is 0 where the subsequence of
/// b so far and a's first i + 1 units is longer than with i units. carry[j] is
/// the carry of unit j of b into the next 64 units. Paper: Hyyrö 2004,
/// "Bit-parallel LCS-length computation revisited".
int64_t CommonSubsequence(const RougeUnits& a, const RougeUnits& b) {
  constexpr size_t kBits = 64;
  std::unordered_map<std::string_view, size_t> numbers;
  std::vector<size_t> own, others;
  for (const std::string_view unit : a) {
    own.push_back(numbers.emplace(unit, numbers.size()).first->second);
  }
  for (const std::string_view unit : b) {
    const auto found = numbers.find(unit);
    if (found != numbers.end()) others.push_back(found->second);
  }
  std::vector<uint64_t> equal(numbers.size());  // places of each unit as bits
  std::vector<uint8_t> carry(others.size());
  int64_t length = 0;
  for (size_t begin = 0; begin < own.size(); begin += kBits) {
    const size_t count = std::min(kBits, own.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      equal[own[begin + i]] |= uint64_t{1} << i;
    }
    uint64_t open = ~uint64_t{0};
    for (size_t j = 0; j < others.size(); ++j) {
      const uint64_t match = open & equal[others[j]];
      const uint64_t sum = open + match;
      const uint64_t next = sum + carry[j];
      carry[j] = sum < match || next < sum ? 1 : 0;
      open = next | (open & ~match);
    }
    for (size_t i = 0; i < count; ++i) equal[own[begin + i]] = 0;
    const uint64_t last = count == kBits ? 0 : ~uint64_t{0} << count;
    length += std::popcount(~(open | last));
  }
  return length;
}

void AddShare(const RougeScore& share, double weight, RougeScore& sum) {
  sum.precision += weight * share.precision;
  sum.recall += weight * share.recall;
  sum.f1 += weight * share.f1;
}

}  // namespace

std::string RougeWords(std::string_view text) {
  std::string words;
  for (const char c : Lowercase(NormalForm(text))) {
    const bool counts = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (counts) {
      words += c;
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  if (words.ends_with(' ')) words.pop_back();
  return words;
}

RougeScores CorpusRouge(std::span<const std::string> summaries,
                        std::span<const std::string> references) {
  if (summaries.size() != references.size()) {
    throw ShapeError("rouge: {} summaries for {} references", summaries.size(),
                     references.size());
  }
  RougeScores scores;
  const double weight = 100.0 / static_cast<double>(summaries.size());
  for (size_t i = 0; i < summaries.size(); ++i) {
    const std::string summary = RougeWords(summaries[i]);
    const std::string reference = RougeWords(references[i]);
    const RougeUnits a = SplitWhitespace(summary);
    const RougeUnits b = SplitWhitespace(reference);
    AddShare(NgramShare(a, b, 1), weight, scores.rouge1);
    AddShare(NgramShare(a, b, 2), weight, scores.rouge2);
    AddShare(ShareOf(CommonSubsequence(a, b), std::ssize(a), std::ssize(b)),
             weight, scores.rouge_l);
  }
  return scores;
}

}  // namespace heed
