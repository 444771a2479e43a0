// Forces of one step of t-SNE.
#ifndef HEED_KERNELS_TSNE_H_
#define HEED_KERNELS_TSNE_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// With w_ij = 1 / (1 + |y_i - y_j|^2) for i != j, sets
///   attraction_i = sum_j p_ij w_ij (y_i - y_j)
///   repulsion_i = sum_j w_ij^2 (y_i - y_j)
/// and returns the sum of all w_ij. Shapes: p [N, N], symmetric with zeros on
/// the diagonal; y, attraction and repulsion [2, N]. f32 and f64.
double TsneForces(const Tensor& p, const Tensor& y, Tensor& attraction,
                  Tensor& repulsion);

/// d[i, j] = |x_i - x_j|^2. Shapes: x [N, M], result [N, N]. f32 and f64.
Tensor SquaredDistances(const Tensor& x);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_TSNE_H_
