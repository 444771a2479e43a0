#include "heed/metrics/cider.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "heed/base/errors.h"
#include "heed/base/text.h"
#include "heed/metrics/ngrams.h"

namespace heed {
namespace {

constexpr int kCiderOrder = 4;
constexpr double kCiderSigma = 6;
constexpr double kCiderScale = 10;

/// Number of items whose references have an n-gram.
using DocumentFrequencies = std::unordered_map<std::string_view, int64_t>;

bool HasLetterOrDigit(std::string_view word) {
  const char* const s = word.data();
  const auto size = static_cast<int32_t>(word.size());
  for (int32_t i = 0; i < size;) {
    UChar32 c = 0;
    U8_NEXT(s, i, size, c);
    if (c >= 0 && u_isalnum(c) != 0) return true;
  }
  return false;
}

/// Weighted n-grams of a text; views into the text.
struct CiderVectors {
  double words = 0;
  std::array<std::unordered_map<std::string_view, double>, kCiderOrder> weights;
  std::array<double, kCiderOrder> norms = {};
};

CiderVectors VectorsOf(std::string_view text, double items,
                       const DocumentFrequencies& frequencies) {
  const auto words = SplitWhitespace(text);
  CiderVectors vectors;
  vectors.words = static_cast<double>(words.size());
  for (int n = 0; n < kCiderOrder; ++n) {
    double squares = 0;
    for (const auto& [ngram, count] : CountNgrams(words, n + 1)) {
      const auto found = frequencies.find(ngram);
      const auto frequency =
          static_cast<double>(found == frequencies.end() ? 1 : found->second);
      const double weight =
          static_cast<double>(count) * (std::log(items) - std::log(frequency));
      vectors.weights[n].emplace(ngram, weight);
      squares += weight * weight;
    }
    vectors.norms[n] = std::sqrt(squares);
  }
  return vectors;
}

/// Mean similarity over n, 0 to 1.
double Similarity(const CiderVectors& caption, const CiderVectors& reference) {
  double sum = 0;
  for (int n = 0; n < kCiderOrder; ++n) {
    const double norms = caption.norms[n] * reference.norms[n];
    if (norms == 0) continue;
    double product = 0;
    for (const auto& [ngram, weight] : caption.weights[n]) {
      const auto found = reference.weights[n].find(ngram);
      if (found == reference.weights[n].end()) continue;
      product += std::min(weight, found->second) * found->second;
    }
    sum += product / norms;
  }
  const double longer = caption.words - reference.words;
  return sum / kCiderOrder *
         std::exp(-longer * longer / (2 * kCiderSigma * kCiderSigma));
}

DocumentFrequencies CountItems(const std::vector<References>& references) {
  DocumentFrequencies frequencies;
  for (const References& item : references) {
    std::unordered_set<std::string_view> own;
    for (const std::string& text : item) {
      const auto words = SplitWhitespace(text);
      for (int n = 1; n <= kCiderOrder; ++n) {
        for (const auto& [ngram, count] : CountNgrams(words, n)) {
          own.insert(ngram);
        }
      }
    }
    for (const std::string_view ngram : own) ++frequencies[ngram];
  }
  return frequencies;
}

}  // namespace

std::string CiderWords(std::string_view text, BleuTokenizer tokenizer) {
  const std::string tokens = TokenizeForBleu(Lowercase(text), tokenizer);
  std::string words;
  for (const std::string_view token : SplitUnicodeWhitespace(tokens)) {
    if (!HasLetterOrDigit(token)) continue;
    if (!words.empty()) words += ' ';
    words += token;
  }
  return words;
}

double CorpusCider(std::span<const std::string> captions,
                   std::span<const References> references,
                   BleuTokenizer tokenizer) {
  if (captions.size() != references.size()) {
    throw ShapeError("cider: {} captions for {} items with references",
                     captions.size(), references.size());
  }
  if (captions.empty()) return 0;
  std::vector<References> words;
  for (const References& item : references) {
    if (item.empty()) throw ShapeError("cider: an item has no reference");
    References& own = words.emplace_back();
    for (const std::string& text : item) {
      own.push_back(CiderWords(text, tokenizer));
    }
  }
  const DocumentFrequencies frequencies = CountItems(words);
  const auto items = static_cast<double>(captions.size());
  double sum = 0;
  for (size_t i = 0; i < captions.size(); ++i) {
    const std::string own = CiderWords(captions[i], tokenizer);
    const CiderVectors caption = VectorsOf(own, items, frequencies);
    double similarity = 0;
    for (const std::string& text : words[i]) {
      similarity += Similarity(caption, VectorsOf(text, items, frequencies));
    }
    sum += similarity / static_cast<double>(words[i].size());
  }
  return kCiderScale * sum / items;
}

}  // namespace heed
