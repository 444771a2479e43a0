// The largest elements of rows, as searches among a vocabulary want them.
#ifndef HEED_KERNELS_TOPK_H_
#define HEED_KERNELS_TOPK_H_

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// The k largest of each row in descending order, and their columns. Of equal
/// values the lower column comes first; NaN counts as the least. If log_sum is
/// not null it receives log sum exp(x) of each row, from the same pass over x:
/// NaN or infinite if an element is NaN or infinity, or all are -infinity.
/// Replaces values, ids and log_sum. Shapes: x [R, V] of f32 or f64, rows may
/// be apart; values [R, k], ids i32 [R, k], log_sum f64 [R].
/// Range: 1 <= k <= V.
void TopK(const Tensor& x, int k, Tensor& values, Tensor& ids, Tensor* log_sum);

/// The same of rows whose columns come in parts, from left to right.
class RunningTopK {
 public:
  RunningTopK(int64_t rows, int k, DType dtype, bool with_sums);

  /// The next columns. Shapes: x [R, n], rows may be apart; result as above.
  void Add(const Tensor& x);

  /// Once there were k columns or more. Shapes: values [R, k], ids i32 [R, k].
  const Tensor& values() const { return values_; }
  const Tensor& ids() const { return ids_; }
  /// log sum exp of the rows, f64 [R]; undefined: not wanted.
  Tensor LogSums() const;

 private:
  int64_t columns_ = 0;  // so far
  Tensor values_;
  Tensor ids_;
  Tensor max_;   // [R], largest of the numbers
  Tensor sums_;  // f64 [R], of exp(x - max); undefined: not wanted
};

}  // namespace heed::kernels

#endif  // HEED_KERNELS_TOPK_H_
