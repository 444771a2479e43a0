// The keys and values of an attention, and where its queries stand.
#ifndef HEED_ATTENTION_MEMORY_H_
#define HEED_ATTENTION_MEMORY_H_

#include <cstdint>
#include <vector>

#include "heed/attention/mask.h"
#include "heed/autograd/tape.h"
#include "heed/kernels/gemm.h"

namespace heed {

/// The rows with which a search moves a tensor.
enum class StateRole : uint8_t {
  kRow,     ///< partial hypotheses
  kSource,  ///< sources, each kept once for all its hypotheses
  /// Sources with a copy for each hypothesis: moved only where the number of
  /// rows or sources changes.
  kRepeated,
  kFixed,  ///< never moved: rows find their own by a number
};

/// All the state of one attention: keys and values, and where its queries
/// stand. Attention::Prepare makes it at once, Attention::Extend step by step.
/// A value; copies share the tensors, so that one memory serves many steps.
///
/// The memory of a decoder has one of two layouts. Any score can do with
/// `keys` and `values`, which are copied when a search moves their rows. The
/// kernels of single steps read keys and values side by side where they were
/// written, and only the numbers of rows move.
struct Memory {
  Var keys;    ///< prepared [B, S, ·]
  Var values;  ///< [B, S, K*D]
  Mask mask;
  Tensor lengths;        ///< of the sources i32 [B]; undefined: all S
  int64_t filled = -1;   ///< keys of a growing memory that are there; -1: all
  int64_t position = 0;  ///< of the next query, if queries come in steps
  Var previous;  ///< weights of the last query [B*H, S], if a part reads

  /// A decoder keeps this memory, so that kernels of single steps may read it.
  bool decoded = false;
  StateRole role = StateRole::kRow;  ///< of keys, values and lengths
  /// How a decoder keeps pairs and positions: bf16 where products are rounded.
  kernels::Precision precision = kernels::Precision::kNative;
  Tensor pairs;    ///< keys and values of the sources [.., S, key + value]
  Tensor sources;  ///< i32 [B]: row of `pairs` that each source has
  std::vector<Tensor> positions;  ///< of each position [.., key + value]
  /// i32 [R, at least as many as positions]: row r finds its own of position s
  /// in row slots[r, s].
  Tensor slots;

  bool defined() const {
    return values.defined() || pairs.defined() || !positions.empty();
  }
  /// This memory with keys and values in bf16: half the bytes, and a few
  /// queries of a dot product, which are bound by reading it, take half the
  /// time. Other attention turns them back. Not for gradients.
  Memory InBF16() const;
  /// The type of results: f32 for a memory in bf16.
  DType computed_in() const;
  /// S, without keys that are still to come.
  int64_t size() const { return filled < 0 ? values.dim(1) : filled; }
};

}  // namespace heed

#endif  // HEED_ATTENTION_MEMORY_H_
