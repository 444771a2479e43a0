// t-SNE: embedding of high-dimensional points in a plane.
#ifndef HEED_EXPLAIN_TSNE_H_
#define HEED_EXPLAIN_TSNE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "heed/base/cancellation.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct TsneOptions {
  /// Effective number of neighbours of a point; reduced for few points.
  double perplexity = 30;
  int steps = 500;
  int exaggerated = 250;  ///< steps with early exaggeration
  uint64_t seed = 1;
  /// Cancels the computation, which then throws Cancelled.
  const Cancellation* cancellation = nullptr;
};

/// Joint probabilities p_ij = (p_j|i + p_i|j) / 2N from p_j|i ∝ exp(−β_i d_ij),
/// with β_i such that row i has the perplexity. Shapes: distances [N, N],
/// squared; result [N, N].
Tensor TsneChances(const Tensor& distances, double perplexity);

/// Positions of N points in the plane: gradient descent of Σ p log (p / q) from
/// small random positions, with momentum 0.5 (0.8 after early exaggeration).
/// Gains per coordinate change by + 0.2 or × 0.8 and stay at least 0.01. Early
/// exaggeration multiplies p by 12; the step size is max(N / 12, 1). Exact, N²
/// operations per iteration; deterministic for a seed with any number of
/// threads. Shapes: x [N, M] of f32 or f64. Throws: Cancelled.
/// Papers: van der Maaten and Hinton 2008, "Visualizing data using t-SNE";
/// Belkina et al. 2019, doi:10.1038/s41467-019-13055-y (the step size).
std::vector<std::array<double, 2>> Tsne(const Tensor& x,
                                        const TsneOptions& options);
/// Positions [2, N] computed from probabilities p [N, N] and initial positions
/// `start` [2, N].
Tensor TsneFrom(const Tensor& p, const Tensor& start,
                const TsneOptions& options);

}  // namespace heed

#endif  // HEED_EXPLAIN_TSNE_H_
