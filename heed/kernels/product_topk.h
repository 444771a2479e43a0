// Top-k scores of a vocabulary without storing all scores.
#ifndef HEED_KERNELS_PRODUCT_TOPK_H_
#define HEED_KERNELS_PRODUCT_TOPK_H_

#include <cstdint>

#include "heed/kernels/gemm.h"
#include "heed/kernels/topk.h"

namespace heed::kernels {

/// Top-k results of scores [R, V].
struct TopKScores {
  Tensor values;    // [R, k], descending
  Tensor columns;   // i32 [R, k]
  Tensor log_sums;  // f64 [R], log sum exp of all scores, if requested
  Tensor first;     // [R, F], scores of the first F columns

  bool defined() const { return values.defined(); }
};

/// Top-k of stored scores. Shapes: scores [R, V] of f32 or f64. Range: 1 <= k
/// <= V, 0 <= first <= V. Computes log_sums if `sums`.
TopKScores FindTopK(const Tensor& scores, int k, int64_t first,
                    bool sums = true);

/// True if FindTopK supports this product: f32, 1 <= k <= V, and `first` is at
/// most V and the columns of a panel.
bool CanFindTopK(const Tensor& a, const PackedMatrix& b, int k, int64_t first);

/// Top-k of a b + bias, computed in blocks of columns that stay in the cache,
/// so that scores are never written to memory. Shapes: a f32 [R, K], b [K, V],
/// bias [V]. Range: see CanFindTopK.
TopKScores FindTopK(const Tensor& a, const PackedMatrix& b, const Tensor& bias,
                    int k, int64_t first, bool sums = true);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_PRODUCT_TOPK_H_
