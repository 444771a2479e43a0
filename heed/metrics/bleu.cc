#include "heed/metrics/bleu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/metrics/ngrams.h"

namespace heed {
namespace {

constexpr int kMaxOrder = 4;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsStop(char c) { return c == '.' || c == ','; }

// Every ASCII character that is neither letter, digit, control nor one of ',-.
bool IsSeparated(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool kept = c == '\'' || c == ',' || c == '-' || c == '.';
  return c >= ' ' && c <= '~' && !letter && !IsDigit(c) && !kept;
}

std::string ReplaceAll(std::string text, std::string_view from,
                       std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string SeparatePunctuation(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (IsSeparated(c)) {
      out += {' ', c, ' '};
    } else {
      out += c;
    }
  }
  return out;
}

// Replaces pairs (first, second) from left to right by before + first + between
// + second + after. Pairs do not overlap, as in a regular expression's global
// replacement, so in "..." only the first two characters make a pair. Working
// on bytes is safe in UTF-8 because the wanted characters are ASCII.
template <typename First, typename Second>
std::string SpacePairs(std::string_view text, First&& first, Second&& second,
                       std::string_view before, std::string_view after) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && first(text[i]) && second(text[i + 1])) {
      out += before;
      out += text[i];
      out += ' ';
      out += text[++i];
      out += after;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Python's str.rstrip().
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

void AddSentence(const std::string& hypothesis, const std::string& reference,
                 Counts* counts) {
  const auto hyp = SplitWhitespace(hypothesis);
  const auto ref = SplitWhitespace(reference);
  counts->hyp_len += static_cast<int64_t>(hyp.size());
  counts->ref_len += static_cast<int64_t>(ref.size());
  for (int n = 1; n <= kMaxOrder; ++n) {
    counts->totals[n - 1] += NgramTotal(hyp.size(), n);
    counts->matches[n - 1] +=
        CommonNgrams(CountNgrams(hyp, n), CountNgrams(ref, n));
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

// Zero if any precision is zero: no effective order, as in sacreBLEU's default.
double GeometricMean(const std::array<double, kMaxOrder>& precisions) {
  double log_sum = 0.0;
  for (double p : precisions) {
    if (p <= 0.0) return 0.0;
    log_sum += std::log(p);
  }
  return std::exp(log_sum / kMaxOrder);
}

}  // namespace

std::string Tokenize13a(std::string_view line) {
  std::string text = ReplaceAll(std::string(line), "<skipped>", "");
  text = ReplaceAll(std::move(text), "-\n", "");
  text = ReplaceAll(std::move(text), "\n", " ");
  text = ReplaceAll(std::move(text), "&quot;", "\"");
  text = ReplaceAll(std::move(text), "&amp;", "&");
  text = ReplaceAll(std::move(text), "&lt;", "<");
  text = ReplaceAll(std::move(text), "&gt;", ">");

  const auto not_digit = [](char c) { return !IsDigit(c); };
  const auto is_dash = [](char c) { return c == '-'; };
  text = SeparatePunctuation(" " + text + " ");
  text = SpacePairs(text, not_digit, IsStop, "", " ");
  text = SpacePairs(text, IsStop, not_digit, " ", "");
  text = SpacePairs(text, IsDigit, is_dash, "", " ");
  return fmt::format("{}", fmt::join(SplitUnicodeWhitespace(text), " "));
}

BleuScore CorpusBleu(std::span<const std::string> hypotheses,
                     std::span<const std::string> references,
                     const BleuOptions& options) {
  if (hypotheses.size() != references.size()) {
    throw ShapeError("bleu: {} hypotheses for {} references", hypotheses.size(),
                     references.size());
  }
  const auto tokenize = [&](const std::string& line) {
    return options.lowercase ? Tokenize13a(TrimRight(Lowercase(line)))
                             : Tokenize13a(TrimRight(line));
  };
  Counts counts;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    AddSentence(tokenize(hypotheses[i]), tokenize(references[i]), &counts);
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
      "nrefs:1|case:{}|eff:no|tok:13a|smooth:exp|version:heed-" HEED_VERSION,
      options.lowercase ? "lc" : "mixed");
  return result;
}

}  // namespace heed
