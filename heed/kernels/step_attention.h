// Attention of decoding steps: one query per row, softmax over scaled dot
// products with cached keys.
//
// Query head h uses key head h / (heads / key_heads). Keys and values are f32
// or bf16; a row holds the keys of all heads, then the values of all heads.
#ifndef HEED_KERNELS_STEP_ATTENTION_H_
#define HEED_KERNELS_STEP_ATTENTION_H_

#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed::kernels {

/// Queries of one step. Shapes: q f32 [R, H*D], whose rows may be apart.
struct StepQueries {
  Tensor q;
  int64_t heads = 1;      // H
  int64_t key_heads = 1;  // K
  double scale = 1;
};

/// Row r attends to row slots[r, s] of positions[s], for all s, so that the
/// rows of a beam share their prefix. Shapes: positions[s] [.., 2 K D], whose
/// rows may be apart; slots i32 [R, at least as many as positions]; result [R,
/// H*D].
Tensor AttendPositions(const StepQueries& queries,
                       std::span<const Tensor> positions, const Tensor& slots);

/// Attention to sources. The R rows are divided evenly among `sources`. A row
/// attends to the first lengths[b] positions of its source b, and gets zeros if
/// there are none. `weights`, unless null, receives the weights of `head`; -1:
/// the mean of all heads. Shapes: source [B, S, 2 K D]; lengths i32 [B];
/// sources i32 [B']; result [R, H*D]; weights [R, S].
Tensor AttendSource(const StepQueries& queries, const Tensor& source,
                    const Tensor& lengths, const Tensor& sources,
                    Tensor* weights, int64_t head = -1);

}  // namespace heed::kernels

#endif  // HEED_KERNELS_STEP_ATTENTION_H_
