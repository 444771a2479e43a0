// CIDEr: agreement of captions with several references.
#ifndef HEED_METRICS_CIDER_H_
#define HEED_METRICS_CIDER_H_

#include <span>
#include <string>
#include <string_view>

#include "heed/metrics/bleu_tokenizer.h"
#include "heed/metrics/error_rate.h"

namespace heed {

/// CIDEr-D of a corpus, 0 to 10, as coco-caption (pycocoevalcap) computes it.
/// For each n ≤ 4, g(c) is the vector of the n-grams of c with the weights
///   count · (log N − log max(1, df)),
/// where N is the number of items and df the number of items of which a
/// reference has the n-gram. The score is the mean over items, their references
/// r and n of
///   10 · exp(−(|c| − |r|)² / 72) · Σ min(g(c), g(r)) g(r) / (‖g(c)‖ ‖g(r)‖),
/// with |c| the number of words. Texts are normalised by CiderWords. The score
/// of a corpus of one item is 0 since all of its weights are 0.
/// Throws: ShapeError if the numbers of texts differ or an item has no
/// reference. Paper: Vedantam et al. 2015, arXiv:1411.5726, section 5.
double CorpusCider(std::span<const std::string> captions,
                   std::span<const References> references,
                   BleuTokenizer tokenizer = BleuTokenizer::k13a);

/// Lower-case tokens of `text` that have a letter or a digit, joined by single
/// spaces. (coco-caption splits by the Penn Treebank tokeniser of Stanford and
/// drops punctuation; contractions such as "it's" differ.)
std::string CiderWords(std::string_view text, BleuTokenizer tokenizer);

}  // namespace heed

#endif  // HEED_METRICS_CIDER_H_
