// How well a language model predicts a text.
#ifndef HEED_METRICS_PERPLEXITY_H_
#define HEED_METRICS_PERPLEXITY_H_

#include <cstdint>
#include <span>
#include <string>

namespace heed {

/// What a text consists of. Every line that is not blank has an end, which is a
/// word and a character more: a model predicts it too.
struct TextSize {
  int64_t lines = 0;
  int64_t words = 0;       ///< between white space, and ends of lines
  int64_t characters = 0;  ///< code points, and ends of lines
};

/// Blank lines do not count.
TextSize MeasureText(std::span<const std::string> lines);

/// Σ −log p of the tokens of a text, each given the true ones before it (gold
/// prefixes, "teacher forcing"). Figures per token depend on the vocabulary;
/// those per word and per character compare models of different ones, as long
/// as none has unknown tokens, which are too easy to predict.
struct LanguageScore {
  double nll = 0;  ///< Units: natural logarithm
  int64_t tokens = 0;
  int64_t unknown = 0;  ///< of the tokens
  TextSize text;

  double loss() const;                ///< nll / tokens
  double perplexity() const;          ///< e^(nll / tokens)
  double word_perplexity() const;     ///< e^(nll / words)
  double bits_per_character() const;  ///< nll / (characters · log 2)
};

}  // namespace heed

#endif  // HEED_METRICS_PERPLEXITY_H_
