// ROUGE: how much of a reference summary is in a summary.
#ifndef HEED_METRICS_ROUGE_H_
#define HEED_METRICS_ROUGE_H_

#include <span>
#include <string>
#include <string_view>

namespace heed {

/// Means over all pairs. Units: percent
struct RougeScore {
  double precision = 0;
  double recall = 0;
  double f1 = 0;
};

struct RougeScores {
  RougeScore rouge1;   ///< of words
  RougeScore rouge2;   ///< of pairs of words that follow each other
  RougeScore rouge_l;  ///< of the longest common subsequence
};

/// ROUGE as google-research's rouge_score computes it, without its stemmer:
/// texts as RougeWords; common n-grams (each as often as in both) or the length
/// of the longest common subsequence, as a share of those of the summary
/// (precision) and of the reference (recall), 0 for none; F1 of each pair; then
/// means over pairs. Throws: ShapeError if the numbers of texts differ.
/// Paper: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries".
RougeScores CorpusRouge(std::span<const std::string> summaries,
                        std::span<const std::string> references);

/// `text` in lower case, with one space in the place of all that is not a to z
/// or 0 to 9: letters of other scripts, and those with marks, count for
/// nothing.
std::string RougeWords(std::string_view text);

}  // namespace heed

#endif  // HEED_METRICS_ROUGE_H_
