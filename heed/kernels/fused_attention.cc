#include "heed/kernels/fused_attention.h"

#include "heed/kernels/cpu/attention_paths.h"

namespace heed::kernels {
namespace {

/// Below this number of queries, packing keys costs more than it saves.
constexpr int64_t kFewQueries = 8;

bool Tiled(const AttentionArgs& args) {
  return args.score == AttentionArgs::Score::kDot &&
         args.queries() > kFewQueries;
}

}  // namespace

bool ReadsBF16(AttentionArgs::Score score, int64_t queries) {
  return score == AttentionArgs::Score::kDot && queries <= kFewQueries;
}

AttentionResult FusedAttention(const AttentionArgs& args) {
  return Tiled(args) ? TiledAttention(args) : DirectAttention(args);
}

Tensor FusedAttentionWeights(const AttentionArgs& args, const Tensor& log_sum) {
  return Tiled(args) ? TiledAttentionWeights(args, log_sum)
                     : DirectAttentionWeights(args, log_sum);
}

void FusedAttentionGrad(const AttentionArgs& args,
                        const AttentionResult& result, const Tensor& dcontext,
                        AttentionGrads& grads) {
  if (Tiled(args)) {
    TiledAttentionGrad(args, result, dcontext, grads);
  } else {
    DirectAttentionGrad(args, result, dcontext, grads);
  }
}

}  // namespace heed::kernels
