// Masks, normalisers, and sampling of one key.
//
// f32 and f64; all dimensions but the last count as rows R, and rows may be
// apart. A score of -infinity marks a masked key: weight 0, gradient 0. A row
// of -infinity gives zeros.
#ifndef HEED_KERNELS_NORMALIZERS_H_
#define HEED_KERNELS_NORMALIZERS_H_

#include <cstdint>

#include "heed/kernels/mask_rule.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// e where the mask allows key s to query t + query_offset of batch row n /
/// heads, else -infinity. Blocks with extent kAll or kNone are copied or
/// filled. Shapes: e [N, T, S], N a multiple of heads.
Tensor MaskScores(const Tensor& e, const MaskRule& mask, int64_t heads,
                  int64_t query_offset);
/// dy where y is not -infinity, else 0.
Tensor MaskScoresGrad(const Tensor& dy, const Tensor& y);

/// Index of the first row that contains +infinity or NaN, or -1.
int64_t FirstUnboundedRow(const Tensor& e);

/// exp(e) / sum exp(e) of each row; +infinity counts as the largest finite
/// number. Its gradient is RowSoftmaxGrad of kernels/attention.h.
Tensor Softmax(const Tensor& e);

/// sigma(e) / sum sigma(e) of each row, exact even if sigma underflows. Paper:
/// Chorowski 2015, arXiv 1506.07503, equation 10.
Tensor SmoothedSigmoid(const Tensor& e);
Tensor SmoothedSigmoidGrad(const Tensor& da, const Tensor& e, const Tensor& a);

/// Projection of each row onto the simplex, by sorting. Range: e below
/// +infinity, no NaN. Paper: Martins and Astudillo 2016, arXiv 1602.02068,
/// algorithm 1.
Tensor Sparsemax(const Tensor& e);
Tensor SparsemaxGrad(const Tensor& da, const Tensor& a);

/// max(e / 2 - tau, 0)^2 with tau such that each row sums to 1, by sorting.
/// Range: e below +infinity, no NaN. Paper: Peters et al. 2019, arXiv
/// 1905.05702, algorithm 2.
Tensor Entmax15(const Tensor& e);
Tensor Entmax15Grad(const Tensor& da, const Tensor& a);

/// Keeps the k largest of each row (the lower column if equal) and sets the
/// others to -infinity. Rows with NaN are unchanged. Range: k >= 1.
Tensor KeepTopK(const Tensor& e, int64_t k);
/// 1 at the maximum of each row (the lower column if equal), else 0; NaN in a
/// row with NaN.
Tensor OneHotOfMaximum(const Tensor& e);

/// -log(-log u) for u uniform in (0, 1), a function of the key alone; within
/// [-3.7, 36.8].
Tensor GumbelNoise(const Shape& shape, uint64_t key, DType dtype);

/// Samples one column of each row with probabilities p: 1 there, else 0; NaN in
/// a row with NaN. Row r depends only on the key, r and p[r, :].
Tensor SampleOneHot(const Tensor& p, uint64_t key);
/// log p of the selected column; 0 for a row without one. Shapes: one_hot and p
/// [.., S], result [..].
Tensor LogProbability(const Tensor& p, const Tensor& one_hot);
/// Gradient of LogProbability for the scores whose softmax is p.
Tensor LogProbabilityGrad(const Tensor& dl, const Tensor& p,
                          const Tensor& one_hot);
/// -sum p log p. Shapes: p [.., S], result [..].
Tensor Entropy(const Tensor& p);
/// Gradient of Entropy for the scores whose softmax is p.
Tensor EntropyGrad(const Tensor& dh, const Tensor& p);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_NORMALIZERS_H_
