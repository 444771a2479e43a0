// chrF: character n-gram overlap of translations and references.
#ifndef HEED_METRICS_CHRF_H_
#define HEED_METRICS_CHRF_H_

#include <span>
#include <string>

namespace heed {

struct ChrfScore {
  double score = 0.0;  ///< 0 to 100
  std::string signature;
};

/// chrF2 of a corpus as sacreBLEU computes it by default:
///   100 · (1 + β²) P R / (β² P + R),  β = 2,
/// P and R the precision and recall of character n-grams (white space removed)
/// over the whole corpus, averaged over those n of 1 to 6 that occur.
/// Throws: ShapeError if the numbers of hypotheses and references differ.
/// Paper: Popović 2015, "chrF: character n-gram F-score", WMT.
ChrfScore CorpusChrf(std::span<const std::string> hypotheses,
                     std::span<const std::string> references);

}  // namespace heed

#endif  // HEED_METRICS_CHRF_H_
