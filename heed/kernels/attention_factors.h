// Factors of attention weights: what is kept instead of a matrix T x S.
#ifndef HEED_KERNELS_ATTENTION_FACTORS_H_
#define HEED_KERNELS_ATTENTION_FACTORS_H_

#include <cstdint>
#include <memory>

#include "heed/kernels/fused_attention.h"
#include "heed/kernels/mask_rule.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Queries, keys, modifiers, mask and log-sums of a call of fused attention,
/// from which any part of the weights is computed again. Immutable;
/// thread-safe.
class AttentionFactors {
 public:
  /// Copies q and k if their rows are apart, so that they keep no larger tensor
  /// alive. `log_sum` is that of FusedAttention; `mask` owns args.mask. Range:
  /// args without dropout.
  AttentionFactors(AttentionArgs args, Tensor log_sum,
                   std::shared_ptr<const MaskRule> mask);

  int64_t batch() const { return args_.batch(); }
  int64_t heads() const { return args_.heads; }
  int64_t queries() const { return args_.queries(); }
  int64_t keys() const { return args_.keys(); }
  /// Memory of the tensors. Units: bytes.
  int64_t bytes() const;

  /// All weights [B, H, T, S].
  Tensor Weights() const { return FusedAttentionWeights(args_, log_sum_); }
  /// Weights of some queries and keys of one head of batch row b: [rows,
  /// columns]. Both ranges must lie within T and S and not be empty.
  Tensor Tile(int64_t b, int64_t head, Range rows, Range columns) const;
  /// Range of keys outside of which the mask forbids all of these queries;
  /// empty if it forbids every key.
  Range VisibleKeys(int64_t b, Range rows) const;

 private:
  AttentionArgs args_;
  Tensor log_sum_;
  std::shared_ptr<const MaskRule> mask_;
};

}  // namespace heed::kernels

#endif  // HEED_KERNELS_ATTENTION_FACTORS_H_
