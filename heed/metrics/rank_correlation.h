// How alike two scores order the same items.
#ifndef HEED_METRICS_RANK_CORRELATION_H_
#define HEED_METRICS_RANK_CORRELATION_H_

#include <optional>
#include <span>

namespace heed {

/// Spearman's ρ: Pearson's correlation of the ranks, equal scores having the
/// mean of their ranks; −1 to 1. Nothing for less than two items, or where all
/// scores of one side are equal. Throws: ShapeError if the sizes differ;
/// NumericError for NaN.
std::optional<double> SpearmanCorrelation(std::span<const double> a,
                                          std::span<const double> b);

/// Kendall's τ-b: (concordant − discordant) / √((n0 − ties of a)(n0 − ties of
/// b)) over the n0 pairs of items; −1 to 1. Nothing and throws as above.
std::optional<double> KendallCorrelation(std::span<const double> a,
                                         std::span<const double> b);

}  // namespace heed

#endif  // HEED_METRICS_RANK_CORRELATION_H_
