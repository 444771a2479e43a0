// Perplexity of a language model on a text.
#ifndef HEED_METRICS_PERPLEXITY_H_
#define HEED_METRICS_PERPLEXITY_H_

#include <cstdint>
#include <span>
#include <string>

namespace heed {

/// Size of a text. The end of every line that is not blank counts as a word and
/// a character, because a model predicts it too.
struct TextSize {
  int64_t lines = 0;
  int64_t words = 0;       ///< separated by white space; includes line ends
  int64_t characters = 0;  ///< code points; includes line ends
};

/// Measures a text; blank lines do not count.
TextSize MeasureText(std::span<const std::string> lines);

/// Negative log-likelihood of a text, Σ −log p of its tokens given the gold
/// prefix (teacher forcing). Scores per token depend on the vocabulary. Scores
/// per word and per character compare models with different vocabularies,
/// provided that no model has unknown tokens, which are too easy to predict.
struct LanguageScore {
  double nll = 0;  ///< Units: natural logarithm
  int64_t tokens = 0;
  int64_t unknown = 0;  ///< number of unknown tokens
  TextSize text;

  double loss() const;                ///< nll / tokens
  double perplexity() const;          ///< e^(nll / tokens)
  double word_perplexity() const;     ///< e^(nll / words)
  double bits_per_character() const;  ///< nll / (characters · log 2)
};

}  // namespace heed

#endif  // HEED_METRICS_PERPLEXITY_H_
