#include "heed/ops/attention_sum.h"

#include <algorithm>

#include "heed/base/at.h"
#include "heed/ops/check.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/shape.h"

namespace heed {

Var AttentionSumLoss(const std::vector<Var>& weights, const Tensor& targets,
                     int32_t ignore_id, AttentionSumTarget target) {
  const int64_t T = targets.dim(0), B = targets.dim(1);
  const auto fits = [&](const Var& one) {
    return one.shape().rank() == 4 && one.dim(0) == B && one.dim(2) == 1;
  };
  CheckShapes(std::ssize(weights) == T && T > 0 && fits(weights.front()),
              "attention sum", "weights that are not T of [B, H, 1, S]",
              {targets.shape()});
  const int64_t heads = weights.front().dim(1), S = weights.front().dim(3);
  const DType dtype = weights.front().value().dtype();
  std::vector<double> steps(static_cast<size_t>(B));
  Var sum;
  for (int64_t t = 0; t < T; ++t) {
    Tensor counts({B, heads * S}, DType::kF64);
    for (int64_t b = 0; b < B; ++b) {
      const bool is = targets.row<int32_t>(t)[b] != ignore_id;
      At(steps, b) += is ? 1 : 0;
      std::fill_n(counts.row<double>(b), heads * S, is ? 1 : 0);
    }
    const Var own =
        Mul(Reshape(At(weights, t), {B, heads * S}), Var(counts.To(dtype)));
    sum = sum.defined() ? Add(sum, own) : own;
  }
  Tensor wanted({B, heads * S}, DType::kF64);
  for (int64_t b = 0; b < B; ++b) {
    const double even = At(steps, b) / static_cast<double>(S);
    std::fill_n(wanted.row<double>(b), heads * S,
                target == AttentionSumTarget::kOne ? 1 : even);
  }
  const Var off = Sub(sum, Var(wanted.To(dtype)));
  return Scale(Sum(Mul(off, off)), 1.0 / static_cast<double>(heads * S));
}

}  // namespace heed
