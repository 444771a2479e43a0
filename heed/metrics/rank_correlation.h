// Rank correlation of two scores of the same items.
#ifndef HEED_METRICS_RANK_CORRELATION_H_
#define HEED_METRICS_RANK_CORRELATION_H_

#include <optional>
#include <span>

namespace heed {

/// Spearman's ρ, −1 to 1: Pearson's correlation of the ranks; tied scores share
/// their mean rank. Nothing for fewer than two items or if all scores of one
/// side are equal. Throws: ShapeError if the sizes differ; NumericError for
/// NaN.
std::optional<double> SpearmanCorrelation(std::span<const double> a,
                                          std::span<const double> b);

/// Kendall's τ-b, −1 to 1: (concordant − discordant) / √((n0 − ties of a)(n0 −
/// ties of b)) over the n0 pairs of items. Nothing for fewer than two items or
/// if all scores of one side are equal. Throws: ShapeError if the sizes differ;
/// NumericError for NaN.
std::optional<double> KendallCorrelation(std::span<const double> a,
                                         std::span<const double> b);

}  // namespace heed

#endif  // HEED_METRICS_RANK_CORRELATION_H_
