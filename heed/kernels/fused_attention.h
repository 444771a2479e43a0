// Fused attention: scores, modifiers, mask, softmax and weighted sum of blocks
// that stay in the cache. Nothing of size T * S is stored; the backward pass
// recomputes scores from the saved log-sum-exp.
//
// f32; products can round their factors to bf16. Without gradients and where
// ReadsBF16(), keys and values may both be bf16, which halves the memory to
// read. Rows of q, k, v and of the gradients may be apart. Heads are groups of
// columns: query head h uses key head h / (heads / key_heads).
//
// Shapes: q [B, T, H*A], k [B, S, K*A], v [B, S, K*D], context [B, T, H*D],
// weights [B, H, T, S] for H heads and K key heads.
#ifndef HEED_KERNELS_FUSED_ATTENTION_H_
#define HEED_KERNELS_FUSED_ATTENTION_H_

#include <cstdint>
#include <vector>

#include "heed/base/cancellation.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/mask_rule.h"
#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Change of the score e of query t and key s.
struct ScoreModifier {
  enum class Kind : uint8_t {
    kScale,            // value * e
    kRowScale,         // x[b, h, t] * e; x [B, H, T]
    kSoftCap,          // value * tanh(e / value)
    kBias,             // e + x[b, h, t, s]; x [B or 1, H or 1, T or 1, S]
    kDistanceBias,     // e + x[h, s - t + T - 1]; x [H or 1, T + S - 1]
    kWindow,           // -infinity where |s - x[b, h, t]| > value
    kGaussianScores,   // e * exp(-(s - x[b, h, t])^2 / (2 value^2))
    kGaussianWeights,  // that factor, applied to the weight; only last
  };
  Kind kind = Kind::kScale;
  double value = 1;
  Tensor x;  // f32, dense
};

/// Arguments of fused attention.
struct AttentionArgs {
  enum class Score : uint8_t {
    kDot,    // value * sum_a q_a k_a
    kTanh,   // sum_a w_a tanh(q_a + k_a)
    kLeaky,  // sum_a w_a LeakyReLU(q_a + k_a), slope `value` below 0
  };
  Score score = Score::kDot;
  double value = 1;
  Tensor q;
  Tensor k;
  Tensor v;
  Tensor w;  // [H, A], dense; undefined for kDot
  int64_t heads = 1;
  int64_t key_heads = 1;
  std::vector<ScoreModifier> modifiers;
  const MaskRule* mask = nullptr;  // null: all keys
  int64_t query_offset = 0;        // position of query 0 in the mask
  double dropout = 0;  // of weights; a weight (b, h, t, s) is dropped as
  uint64_t dropout_key =
      0;  // Dropout drops element (b, h, t, s) of [B, H, T, S]
  Precision precision = Precision::kNative;
  /// Polled between blocks of queries by each thread; null: never cancelled.
  const Cancellation* cancellation = nullptr;

  /// Throws: Cancelled.
  void CheckCancelled() const {
    if (cancellation != nullptr) cancellation->Check();
  }

  int64_t batch() const { return q.dim(0); }
  int64_t queries() const { return q.dim(1); }
  int64_t keys() const { return k.dim(1); }
  int64_t features() const { return q.dim(2) / heads; }            // A
  int64_t value_features() const { return v.dim(2) / key_heads; }  // D
};

struct AttentionResult {
  Tensor context;
  /// log sum_s exp(e_ts) [B, H, T]; -infinity for a fully masked row, whose
  /// context is 0.
  Tensor log_sum;
};

/// True if k and v may be bf16: dot products with few queries, which are
/// memory-bound.
bool ReadsBF16(AttentionArgs::Score score, int64_t queries);

AttentionResult FusedAttention(const AttentionArgs& args);

/// Weights used by FusedAttention, with dropout and Gaussian factors.
Tensor FusedAttentionWeights(const AttentionArgs& args, const Tensor& log_sum);

/// Gradients to add to; undefined ones are not computed. Shapes: those of the
/// inputs; modifiers[i] as args.modifiers[i].x (may have fewer entries).
struct AttentionGrads {
  Tensor dq;
  Tensor dk;
  Tensor dv;
  Tensor dw;
  std::vector<Tensor> modifiers;
};

void FusedAttentionGrad(const AttentionArgs& args,
                        const AttentionResult& result, const Tensor& dcontext,
                        AttentionGrads& grads);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_FUSED_ATTENTION_H_
