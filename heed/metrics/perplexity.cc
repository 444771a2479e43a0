#include "heed/metrics/perplexity.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/base/text.h"

namespace heed {
namespace {

/// 0 of nothing.
double Per(double sum, int64_t count) {
  return sum / static_cast<double>(std::max<int64_t>(count, 1));
}

}  // namespace

TextSize MeasureText(std::span<const std::string> lines) {
  TextSize size;
  for (const std::string& line : lines) {
    const int64_t words = std::ssize(SplitWhitespace(line));
    if (words == 0) continue;
    ++size.lines;
    size.words += words + 1;
    size.characters += std::ssize(Utf8Characters(line)) + 1;
  }
  return size;
}

double LanguageScore::loss() const { return Per(nll, tokens); }
double LanguageScore::perplexity() const { return std::exp(loss()); }
double LanguageScore::word_perplexity() const {
  return std::exp(Per(nll, text.words));
}
double LanguageScore::bits_per_character() const {
  return Per(nll, text.characters) / std::numbers::ln2;
}

}  // namespace heed
