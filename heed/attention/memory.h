// Keys and values of an attention, and the position of its queries.
#ifndef HEED_ATTENTION_MEMORY_H_
#define HEED_ATTENTION_MEMORY_H_

#include <cstdint>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/autograd/tape.h"
#include "heed/kernels/gemm.h"

namespace heed {

/// How the rows of a tensor move in a beam search.
enum class StateRole : uint8_t {
  kRow,     ///< partial hypotheses
  kSource,  ///< sources, each kept once for all its hypotheses
  /// One copy of the source for each hypothesis: moved only if the number of
  /// rows or sources changes.
  kRepeated,
  kFixed,  ///< never moved: rows are found by their number
};

/// Complete state of one attention: keys, values and the position of its
/// queries. Attention::Prepare makes it at once, Attention::Extend step by
/// step. A value; copies share the tensors, so that one memory serves many
/// steps.
///
/// The memory of a decoder has one of two layouts. `keys` and `values` work
/// with any score and are copied when a search moves their rows. Kernels of
/// single steps read keys and values side by side where they were written, and
/// only row numbers move.
struct Memory {
  Var keys;    ///< prepared [B, S, ·]
  Var values;  ///< [B, S, K*D]
  Mask mask;
  Tensor lengths;       ///< of the sources i32 [B]; undefined: all S
  int64_t filled = -1;  ///< number of valid keys in a growing memory; -1: all
  int64_t position =
      0;         ///< position of the next query, if queries come in steps
  Var previous;  ///< last weights [B*H, S], if a part reads them
  Var coverage;  ///< sum of the weights of all steps, if the score reads it

  /// True if a decoder owns this memory, so that kernels of single steps may
  /// read it.
  bool decoded = false;
  StateRole role = StateRole::kRow;  ///< role of keys, values and lengths
  /// Precision of cached pairs and positions: bf16 where products round.
  kernels::Precision precision = kernels::Precision::kNative;
  Tensor pairs;    ///< keys and values of the sources [.., S, key + value]
  Tensor sources;  ///< i32 [B]: row of `pairs` of each source
  std::vector<Tensor> positions;  ///< for each position [.., key + value]
  /// Cache row of each position, i32 [R, at least as many as positions]:
  /// position s of row r is stored in row slots[r, s].
  Tensor slots;

  bool defined() const {
    return values.defined() || pairs.defined() || !positions.empty();
  }
  /// Returns this memory with keys and values in bf16, which halves memory and
  /// the time of a few queries of a dot product (memory-bound). Other attention
  /// converts it back. Not differentiable.
  Memory InBF16() const;
  /// DType of results: f32 for a memory in bf16.
  DType computed_in() const;
  /// S, without keys that are not yet appended.
  int64_t size() const { return filled < 0 ? values.dim(1) : filled; }
};

}  // namespace heed

#endif  // HEED_ATTENTION_MEMORY_H_
