// ROUGE: overlap of summaries and reference summaries.
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
  RougeScore rouge1;   ///< unigrams
  RougeScore rouge2;   ///< bigrams
  RougeScore rouge_l;  ///< longest common subsequence
};

/// ROUGE as google-research's rouge_score computes it, without its stemmer.
/// Texts are normalised by RougeWords. Clipped n-gram matches, or the length of
/// the longest common subsequence, divided by the size of the summary
/// (precision) and of the reference (recall); 0 without matches. F1 is computed
/// per pair; scores are means over pairs. Throws: ShapeError if the numbers of
/// texts differ.
/// Paper: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries".
RougeScores CorpusRouge(std::span<const std::string> summaries,
                        std::span<const std::string> references);

/// `text` in lower case, with one space instead of each run of characters other
/// than a to z and 0 to 9. Letters of other scripts and accented letters are
/// dropped.
std::string RougeWords(std::string_view text);

}  // namespace heed

#endif  // HEED_METRICS_ROUGE_H_
