// Points of many dimensions in a plane, near ones near each other.
#ifndef HEED_EXPLAIN_TSNE_H_
#define HEED_EXPLAIN_TSNE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "heed/base/cancellation.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct TsneOptions {
  /// How many others a point has near it, about; less for few points.
  double perplexity = 30;
  int steps = 500;
  int exaggerated = 250;  ///< of them, with chances that are larger
  uint64_t seed = 1;
  /// Ends the work, which then throws Cancelled.
  const Cancellation* cancellation = nullptr;
};

/// Conditional chances p_j|i ∝ exp(−β_i d_ij), with β_i such that row i has the
/// perplexity, made symmetric: p_ij = (p_j|i + p_i|j) / 2N. Shapes: distances
/// [N, N], squared; result [N, N].
Tensor TsneChances(const Tensor& distances, double perplexity);

/// The places of N points: gradient descent of Σ p log (p / q) from small
/// random places, with momentum (0.5, and 0.8 once chances are as they are),
/// gains per coordinate (+ 0.2, × 0.8, at least 0.01), exaggerated chances 12
/// times as large, and a step size of max(N / 12, 1). The same places for the
/// same seed, whatever the number of threads. Exact, with N² steps of each
/// iteration. Shapes: x [N, M] of f32 or f64. Throws: Cancelled.
/// Papers: van der Maaten and Hinton 2008, "Visualizing data using t-SNE";
/// Belkina et al. 2019, doi:10.1038/s41467-019-13055-y (the step size).
std::vector<std::array<double, 2>> Tsne(const Tensor& x,
                                        const TsneOptions& options);
/// The same of chances p [N, N] from these places [2, N]. Shapes: result [2,
/// N].
Tensor TsneFrom(const Tensor& p, const Tensor& start,
                const TsneOptions& options);

}  // namespace heed

#endif  // HEED_EXPLAIN_TSNE_H_
