// Look-up of table rows by id, and its gradient.
#ifndef HEED_KERNELS_GATHER_H_
#define HEED_KERNELS_GATHER_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// y[i, ..] = table[ids[i], ..]. Shapes: table [V, M..] of any dtype, ids i32
/// of any shape, y ids.shape + [M..]. Range: 0 <= id < V.
Tensor Gather(const Tensor& table, const Tensor& ids);

/// table[ids[i], :] += scale dy[i, :], in the order of i. Shapes: table [V, M]
/// of f32 or f64, ids i32 with N elements, dy [N, M]. Range: id < V; negative
/// ids are skipped.
void ScatterAddTo(Tensor& table, const Tensor& ids, const Tensor& dy,
                  double scale = 1);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_GATHER_H_
