// Top-k of rows, for searches over a vocabulary.
#ifndef HEED_KERNELS_TOPK_H_
#define HEED_KERNELS_TOPK_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// The k largest elements of each row in descending order, and their columns.
/// The lower of equal columns comes first; NaN sorts last. log_sum, unless
/// null, receives log sum exp(x) of each row: NaN or infinite if an element is
/// NaN or infinity, or all are -infinity. Sets values, ids and log_sum. Shapes:
/// x [R, V] of f32 or f64, rows may be apart; values [R, k], ids i32 [R, k],
/// log_sum f64 [R]. Range: 1 <= k <= V.
void TopK(const Tensor& x, int k, Tensor& values, Tensor& ids, Tensor* log_sum);

/// Top-k of rows whose columns come in parts, from left to right.
class RunningTopK {
 public:
  RunningTopK(int64_t rows, int k, DType dtype, bool with_sums);

  /// Adds the next columns. Shapes: x [R, n], rows may be apart.
  void Add(const Tensor& x);

  /// Results; valid once k columns were added. Shapes: values [R, k], ids i32
  /// [R, k].
  const Tensor& values() const { return values_; }
  const Tensor& ids() const { return ids_; }
  /// log sum exp of the rows, f64 [R]; undefined unless requested.
  Tensor LogSums() const;

 private:
  int64_t columns_ = 0;  // number of columns so far
  Tensor values_;
  Tensor ids_;
  Tensor max_;   // [R], maximum, ignoring NaN
  Tensor sums_;  // f64 [R], of exp(x - max); undefined unless requested
};

}  // namespace heed::kernels

#endif  // HEED_KERNELS_TOPK_H_
