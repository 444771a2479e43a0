// Faithfulness of explanations, measured by deleting and inserting tokens in
// their order of importance.
#ifndef HEED_EXPLAIN_FAITHFULNESS_H_
#define HEED_EXPLAIN_FAITHFULNESS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/attribution.h"

namespace heed {

/// Indices of scores by decreasing magnitude; ties keep their order.
std::vector<size_t> OrderByMagnitude(std::span<const float> scores);

/// Mean probability (or score) of the targets as a function of the share of
/// tokens deleted from the input, most important first, and of the share
/// inserted into an empty input. Sampled at 0, 0.1, ..., 1 with linear
/// interpolation. A removed token is replaced by answer.absent.
/// Paper: Petsiuk et al. 2018, arXiv:1806.07421 (deletion and insertion).
struct FaithfulnessCurve {
  std::string method;
  std::vector<double> share;
  std::vector<double> deletion;
  std::vector<double> insertion;
  int64_t answers = 0;  ///< number of answers averaged

  /// Area under the curve by the trapezoidal rule. A faithful explanation has a
  /// small deletion area and a large insertion area.
  double deletion_area() const;
  double insertion_area() const;
};

/// Measures one curve for each attribution (by magnitude), and one named
/// "random" for a random order drawn from `seed` as the baseline. Throws: as
/// Attribute.
std::vector<FaithfulnessCurve> MeasureFaithfulness(
    const Explainable& answer, const std::vector<Attribution>& attributions,
    uint64_t seed);

/// Adds the curves of one answer to the means; the methods must agree.
void AddToMean(const std::vector<FaithfulnessCurve>& curves,
               std::vector<FaithfulnessCurve>& mean);

}  // namespace heed

#endif  // HEED_EXPLAIN_FAITHFULNESS_H_
