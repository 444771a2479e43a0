#include "heed/data/diagonal_prior.h"

#include <cmath>

namespace heed {
namespace {

/// One side of the diagonal, whose nearest word has feature h. `mass`: Σ_k
/// exp(λ (h − k / S)) for k from 0 to n − 1. `feature`: the sum of the same
/// terms times (h − k / S).
struct Side {
  double mass = 0;
  double feature = 0;

  Side(double h, int64_t n, int64_t S, double tension) {
    if (n == 0) return;
    const double d = -1.0 / static_cast<double>(S);
    const double rest = -std::expm1(tension * d);  // 1 − r, exact for small λ/S
    const double r = 1 - rest;
    const double rn = std::exp(tension * d * static_cast<double>(n));
    const double start = std::exp(tension * h);
    mass = start * (1 - rn) / rest;
    // Σ k r^k = r (1 − rⁿ) / (1 − r)² − n rⁿ / (1 − r)
    const double steps =
        r * (1 - rn) / (rest * rest) - static_cast<double>(n) * rn / rest;
    feature = h * mass + start * d * steps;
  }
};

struct Sides {
  Side low;
  Side high;
};

/// Sides of the diagonal: source words up to it, and those beyond it.
Sides SidesOf(const DiagonalPrior& prior, int64_t t) {
  const int64_t split = t * prior.S / prior.T;
  return {
      {prior.Feature(split, t), split, prior.S, prior.tension},
      {prior.Feature(split + 1, t), prior.S - split, prior.S, prior.tension}};
}

}  // namespace

double DiagonalPrior::Feature(int64_t s, int64_t t) const {
  return -std::abs(static_cast<double>(s) / static_cast<double>(S) -
                   static_cast<double>(t) / static_cast<double>(T));
}

double DiagonalPrior::Normalizer(int64_t t) const {
  const Sides sides = SidesOf(*this, t);
  return sides.low.mass + sides.high.mass;
}

double DiagonalPrior::ExpectedFeature(int64_t t) const {
  const Sides sides = SidesOf(*this, t);
  return (sides.low.feature + sides.high.feature) /
         (sides.low.mass + sides.high.mass);
}

}  // namespace heed
