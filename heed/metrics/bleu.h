// BLEU: n-gram overlap of translations and references.
#ifndef HEED_METRICS_BLEU_H_
#define HEED_METRICS_BLEU_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heed/metrics/bleu_tokenizer.h"
#include "heed/metrics/error_rate.h"

namespace heed {

struct BleuOptions {
  bool lowercase = false;  ///< ignore case
  Named<BleuTokenizer> tokenizer = BleuTokenizer::k13a;
};

struct BleuScore {
  double score = 0.0;  ///< 0 to 100
  std::array<double, 4> precisions =
      {};  ///< smoothed, 0 to 100, for n = 1 to 4
  double brevity_penalty = 1.0;
  int64_t hyp_len = 0;  ///< tokens in all hypotheses
  int64_t ref_len = 0;  ///< tokens in all references
  std::string signature;
};

/// BLEU of a corpus as sacreBLEU computes it by default:
///   100 · BP · exp(¼ Σ_{n≤4} log p_n),  BP = exp(min(0, 1 − ref_len /
///   hyp_len)),
/// p_n the clipped n-gram precision over the whole corpus after tokenisation,
/// the k-th p_n without a match replaced by 1 / (2^k · total)
/// ("exp" smoothing). With several references per sentence, matches are clipped
/// to the largest count in one reference, and the reference of the nearest
/// length counts in ref_len (the shorter of two). The signature is in
/// sacreBLEU's form and names Heed's version as the implementation.
/// Throws: ShapeError if the numbers of hypotheses and references differ or a
/// sentence has no reference.
/// Paper: Papineni et al. 2002; Post 2018, arXiv 1804.08771.
BleuScore CorpusBleu(std::span<const std::string> hypotheses,
                     std::span<const std::string> references,
                     const BleuOptions& options = {});
BleuScore CorpusBleu(std::span<const std::string> hypotheses,
                     std::span<const References> references,
                     const BleuOptions& options = {});

/// BLEU of one sentence on white-space tokens, 0 to 100:
///   100 · BP · (Π p_n)^(1/N),  p_n = (matches + 1) / (n-grams + 1),
/// over the orders n ≤ 4 of which the hypothesis has n-grams; 0 without tokens.
/// Paper: Lin and Och 2004 (C04-1072).
double SentenceBleu(std::string_view hypothesis, std::string_view reference);

}  // namespace heed

#endif  // HEED_METRICS_BLEU_H_
