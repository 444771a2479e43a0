#include "heed/decode/hypothesis.h"

#include <algorithm>
#include <cmath>

namespace heed {

double LengthPenalty(int64_t length, double alpha) {
  return std::pow((5 + static_cast<double>(length)) / 6, alpha);
}

double CoveragePenalty(std::span<const float> coverage, double beta) {
  constexpr double kEpsilon = 1e-6;
  double sum = 0;
  for (const float c : coverage) {
    sum += std::log(std::clamp(static_cast<double>(c), kEpsilon, 1.0));
  }
  return beta * sum;
}

}  // namespace heed
