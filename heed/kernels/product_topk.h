// The top-k scores of words without all the others.
#ifndef HEED_KERNELS_PRODUCT_TOPK_H_
#define HEED_KERNELS_PRODUCT_TOPK_H_

#include <cstdint>

#include "heed/kernels/gemm.h"
#include "heed/kernels/topk.h"

namespace heed::kernels {

/// What a search needs of scores [R, V].
struct TopKScores {
  Tensor values;    // [R, k], descending
  Tensor columns;   // i32 [R, k]
  Tensor log_sums;  // f64 [R], log sum exp of all, if wanted
  Tensor first;     // [R, F], of the first columns

  bool defined() const { return values.defined(); }
};

/// TopK of scores that are there. Shapes: scores [R, V] of f32 or f64.
/// Range: 1 <= k <= V, 0 <= first <= V. `sums`: whether log_sums is wanted.
TopKScores FindTopK(const Tensor& scores, int k, int64_t first,
                    bool sums = true);

/// Whether FindTopK can do with a product: of f32, and 1 <= k <= V and
/// first <= V, at most the columns of a panel.
bool CanFindTopK(const Tensor& a, const PackedMatrix& b, int k, int64_t first);

/// TopK of a b + bias, of as many columns at a time as stay in the cache, so
/// that the scores never go to memory. Shapes: a f32 [R, K], b [K, V], bias
/// [V]. Range: see CanFindTopK.
TopKScores FindTopK(const Tensor& a, const PackedMatrix& b, const Tensor& bias,
                    int k, int64_t first, bool sums = true);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_PRODUCT_TOPK_H_
