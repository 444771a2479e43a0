#include "heed/metrics/perplexity.h"

#include <cmath>
#include <numbers>

#include "heed/base/normal_form.h"
#include "heed/base/text.h"
#include "heed/metrics/metrics.h"

namespace heed {

TextSize MeasureText(std::span<const std::string> lines) {
  TextSize size;
  for (const std::string& line : lines) {
    const std::string normal = NormalForm(line);
    const int64_t words = std::ssize(SplitWhitespace(normal));
    if (words == 0) continue;
    ++size.lines;
    size.words += words + 1;
    size.characters += std::ssize(Utf8Characters(normal)) + 1;
  }
  return size;
}

double LanguageScore::loss() const { return RatioOf(nll, tokens); }
double LanguageScore::perplexity() const { return std::exp(loss()); }
double LanguageScore::word_perplexity() const {
  return std::exp(RatioOf(nll, text.words));
}
double LanguageScore::bits_per_character() const {
  return RatioOf(nll, text.characters) / std::numbers::ln2;
}

}  // namespace heed
