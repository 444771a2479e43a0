// Row-wise functions: softmax, loss, normalisation.
//
// f32 and f64; all dimensions but the last count as rows R.
#ifndef HEED_KERNELS_ROWWISE_H_
#define HEED_KERNELS_ROWWISE_H_

#include <cstdint>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// x - log sum exp(x) of each row. Shapes: x [R, V].
Tensor LogSoftmax(const Tensor& x);
/// dy - exp(y) sum(dy).
Tensor LogSoftmaxGrad(const Tensor& dy, const Tensor& y);

/// Sums over the rows that are not ignored.
struct CrossEntropyResult {
  double loss = 0;      // with label smoothing, natural logarithm
  double nll = 0;       // without label smoothing
  int64_t tokens = 0;   // rows that are not ignored
  int64_t correct = 0;  // rows whose largest logit is the target
};

/// Cross-entropy with label smoothing. Loss of a row: -(1 - eps) log p[target]
/// - eps / V sum_v log p[v], with p = softmax(logits) and eps = smoothing. Rows
/// whose target is ignore_id are ignored. dlogits, if not null, receives
/// grad_scale (p - (1 - eps) onehot(target) - eps / V), zero for ignored rows;
/// it may be `logits` itself. Shapes: logits and dlogits [R, V], targets i32
/// [R].
CrossEntropyResult CrossEntropy(const Tensor& logits, const Tensor& targets,
                                int32_t ignore_id, double smoothing,
                                double grad_scale, Tensor* dlogits);

/// y = gain (x - mean) inv_std + bias, with inv_std = 1 / sqrt(var + eps) of
/// the row. Shapes: x [R, C], gain and bias [C], mean and inv_std [R]
/// (replaced). Paper: Ba 2016, 1607.06450.
Tensor LayerNorm(const Tensor& x, const Tensor& gain, const Tensor& bias,
                 double eps, Tensor* mean, Tensor* inv_std);
/// Gradient of x; adds those of gain and bias to dgain and dbias.
Tensor LayerNormGrad(const Tensor& dy, const Tensor& x, const Tensor& gain,
                     const Tensor& mean, const Tensor& inv_std, Tensor& dgain,
                     Tensor& dbias);

/// y = x inv_norm, with inv_norm = 1 / sqrt(sum x^2 + eps) of the row. Rows of
/// zeros stay zero. Shapes: x [R, C], inv_norm [R] (replaced).
Tensor NormalizeRows(const Tensor& x, double eps, Tensor* inv_norm);
/// (dy - y sum(dy y)) inv_norm.
Tensor NormalizeRowsGrad(const Tensor& dy, const Tensor& y,
                         const Tensor& inv_norm);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_ROWWISE_H_
