// From scores to weights: masks, normalisers, and samples of one key.
//
// All take f32 and f64; all dimensions but the last count as rows R, and rows
// may be apart. A score of -infinity stands for a key that may not be looked
// at: weight 0, gradient 0. A row of only such scores gives zeros.
#ifndef HEED_KERNELS_NORMALIZERS_H_
#define HEED_KERNELS_NORMALIZERS_H_

#include <cstdint>

#include "heed/kernels/mask_rule.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// e where query t + query_offset of batch row n / heads may look at key s,
/// else -infinity. Blocks of which the mask says all or none cost a copy or a
/// fill. Shapes: e [N, T, S], N a multiple of heads.
Tensor MaskScores(const Tensor& e, const MaskRule& mask, int64_t heads,
                  int64_t query_offset);
/// dy where y is not -infinity, else 0.
Tensor MaskScoresGrad(const Tensor& dy, const Tensor& y);

/// The first row with +infinity or NaN, or -1.
int64_t FirstUnboundedRow(const Tensor& e);

/// exp(e) / sum exp(e) of each row; +infinity counts as the largest finite
/// number. Its gradient is RowSoftmaxGrad of kernels/attention.h.
Tensor Softmax(const Tensor& e);

/// sigma(e) / sum sigma(e) of each row, exact also where sigma is too small for
/// the number format.
/// Paper: Chorowski 2015, arXiv 1506.07503, equation 10.
Tensor SmoothedSigmoid(const Tensor& e);
Tensor SmoothedSigmoidGrad(const Tensor& da, const Tensor& e, const Tensor& a);

/// The point of the simplex nearest to each row, by sorting. Range: e below
/// +infinity, no NaN. Paper: Martins and Astudillo 2016, arXiv 1602.02068,
/// algorithm 1.
Tensor Sparsemax(const Tensor& e);
Tensor SparsemaxGrad(const Tensor& da, const Tensor& a);

/// max(e / 2 - tau, 0)^2 with the tau that makes each row sum to 1, by sorting.
/// Range: e below +infinity, no NaN.
/// Paper: Peters et al. 2019, arXiv 1905.05702, algorithm 2.
Tensor Entmax15(const Tensor& e);
Tensor Entmax15Grad(const Tensor& da, const Tensor& a);

/// The k largest of each row (of equal ones the lower column), -infinity in
/// place of the others. Rows with NaN stay as they are. Range: k >= 1.
Tensor KeepTopK(const Tensor& e, int64_t k);
/// 1 at the largest of each row (of equal ones the lower column), else 0; NaN
/// in a row with NaN.
Tensor OneHotOfMaximum(const Tensor& e);

/// -log(-log u) for u uniform in (0, 1), from the key alone; from -3.7 to 36.8.
Tensor GumbelNoise(const Shape& shape, uint64_t key, DType dtype);

/// Draws one column of each row, 1 there and else 0, with the probabilities p;
/// NaN in a row with NaN. Row r depends on the key, r and p[r, :] alone.
Tensor SampleOneHot(const Tensor& p, uint64_t key);
/// log p of the chosen column; 0 for a row without. Shapes: one_hot and p
/// [.., S], result [..].
Tensor LogProbability(const Tensor& p, const Tensor& one_hot);
/// The gradient for the scores that p is the softmax of.
Tensor LogProbabilityGrad(const Tensor& dl, const Tensor& p,
                          const Tensor& one_hot);
/// -sum p log p. Shapes: p [.., S], result [..].
Tensor Entropy(const Tensor& p);
/// The gradient for the scores that p is the softmax of.
Tensor EntropyGrad(const Tensor& dh, const Tensor& p);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_NORMALIZERS_H_
