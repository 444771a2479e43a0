// How probable it is that words at two positions translate each other.
#ifndef HEED_DATA_DIAGONAL_PRIOR_H_
#define HEED_DATA_DIAGONAL_PRIOR_H_

#include <cstdint>

namespace heed {

/// The prior of IBM model 2 with one number, the tension λ: of the target word
/// t of T, and each source word s of S, counted from 1,
///   p(s | t) = exp(λ h(s, t)) / Z(t),   h(s, t) = −|s / S − t / T|.
/// Above and below the diagonal the terms are geometric series, so Z and its
/// derivative take as long for S = 1000 as for S = 10.
/// Paper: Dyer, Chahuneau and Smith 2013, "A Simple, Fast, and Effective
/// Reparameterization of IBM Model 2", eq. 1 to 5.
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
