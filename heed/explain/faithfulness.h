// Whether an explanation names what the answer depends on: tokens are taken
// away, or put back, in its order.
#ifndef HEED_EXPLAIN_FAITHFULNESS_H_
#define HEED_EXPLAIN_FAITHFULNESS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/attribution.h"

namespace heed {

/// Places of scores, the largest magnitude first; of equal ones the first.
std::vector<size_t> OrderByMagnitude(std::span<const float> scores);

/// How the targets' mean probability (or score, if it is none) goes with the
/// share of tokens deleted from the input, the most important first, and with
/// the share put into an empty input. At 0, 0.1, ..., 1; between two numbers of
/// tokens it is interpolated. A token that is away is answer.absent.
/// Paper: Petsiuk et al. 2018, arXiv:1806.07421 (deletion and insertion).
struct FaithfulnessCurve {
  std::string method;
  std::vector<double> share;
  std::vector<double> deletion;
  std::vector<double> insertion;
  int64_t answers = 0;  ///< that it is the mean of

  /// Under the curve, by trapezoids: deletion should be small, insertion large.
  double deletion_area() const;
  double insertion_area() const;
};

/// One curve for each attribution (by magnitude), and one of an order drawn
/// from `seed`, named "random", to compare with. Throws: as Attribute.
std::vector<FaithfulnessCurve> MeasureFaithfulness(
    const Explainable& answer, const std::vector<Attribution>& attributions,
    uint64_t seed);

/// Adds the curves of one more answer to the means; the methods must agree.
void AddToMean(const std::vector<FaithfulnessCurve>& curves,
               std::vector<FaithfulnessCurve>& mean);

}  // namespace heed

#endif  // HEED_EXPLAIN_FAITHFULNESS_H_
