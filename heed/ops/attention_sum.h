// Regulariser for the total attention to each cell of an image.
#ifndef HEED_OPS_ATTENTION_SUM_H_
#define HEED_OPS_ATTENTION_SUM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "heed/autograd/tape.h"

namespace heed {

/// Target of the attention to a cell, summed over a caption: 1, as published,
/// or an equal share of the number of words.
enum class AttentionSumTarget : uint8_t { kOne, kShare };
constexpr auto WordsOf(AttentionSumTarget) {
  return std::array{"one", "share"};
}

/// Σ_b 1/S Σ_s (τ_b − Σ_t α_bts)² over the steps t whose target is not
/// `ignore_id`, with τ = 1 or, for kShare, the number of those steps divided by
/// S; weights are averaged over heads. Shapes: weights T of [B, H, 1, S],
/// targets i32 [T, B]. Throws: ShapeError. Paper: Xu et al. 2015,
/// arXiv:1502.03044, equation 14, there without 1/S.
Var AttentionSumLoss(const std::vector<Var>& weights, const Tensor& targets,
                     int32_t ignore_id, AttentionSumTarget target);

}  // namespace heed

#endif  // HEED_OPS_ATTENTION_SUM_H_
