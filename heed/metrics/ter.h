// TER: edits and shifts of phrases that turn a translation into its reference.
#ifndef HEED_METRICS_TER_H_
#define HEED_METRICS_TER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// Edits of words, and words of the reference.
struct TerCounts {
  int64_t edits = 0;
  int64_t words = 0;
};

/// Fewest edits found that turn a hypothesis into its reference, both
/// lower-cased and split at white space. An edit inserts, deletes or replaces a
/// word, or shifts a phrase of up to 10 words by up to 50 positions. Phrases
/// are shifted one after the other, each time the one that saves most edits.
/// Pairs of texts with more than 2^22 pairs of words are not shifted.
TerCounts SentenceTer(std::string_view hypothesis, std::string_view reference);

/// Translation edit rate of a corpus in percent, as sacreBLEU computes it by
/// default: 100 · edits / words of the references. May exceed 100. References
/// without words: 100 if there are edits, else 0.
/// Throws: ShapeError if the numbers of hypotheses and references differ.
/// Paper: Snover et al. 2006, "A Study of Translation Edit Rate with Targeted
/// Human Annotation", AMTA.
double CorpusTer(std::span<const std::string> hypotheses,
                 std::span<const std::string> references);

}  // namespace heed

#endif  // HEED_METRICS_TER_H_
