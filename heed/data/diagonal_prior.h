// Prior probability that words at two positions are translations.
#ifndef HEED_DATA_DIAGONAL_PRIOR_H_
#define HEED_DATA_DIAGONAL_PRIOR_H_

#include <cstdint>

namespace heed {

/// Prior of IBM model 2 with a single parameter, the tension λ. For target word
/// t of T and source word s of S, counted from 1,
///   p(s | t) = exp(λ h(s, t)) / Z(t),   h(s, t) = −|s / S − t / T|.
/// On each side of the diagonal the terms are geometric series, so Z and its
/// derivative take constant time. Paper: Dyer, Chahuneau and Smith 2013, "A
/// Simple, Fast, and Effective Reparameterization of IBM Model 2", eq. 1 to 5.
struct DiagonalPrior {
  int64_t T = 1;
  int64_t S = 1;
  double tension = 4;  ///< above 0

  double Feature(int64_t s, int64_t t) const;
  /// Z(t) = Σ_s exp(λ h(s, t)).
  double Normalizer(int64_t t) const;
  /// Σ_s p(s | t) h(s, t), the derivative of log Z(t) by λ.
  double ExpectedFeature(int64_t t) const;
};

}  // namespace heed

#endif  // HEED_DATA_DIAGONAL_PRIOR_H_
