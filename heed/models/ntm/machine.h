// Sequence machines: map an input vector to an output vector at each step, with
// a recurrent state.
#ifndef HEED_MODELS_NTM_MACHINE_H_
#define HEED_MODELS_NTM_MACHINE_H_

#include <cstdint>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/base/model_outline.h"
#include "heed/nn/memory_head.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// Memory operations of one step. Shapes: erase, add [B, H_w·F], read [B,
/// H_r·F], write_weights [B, H_w, N], read_weights [B, H_r, N].
struct MemoryStep {
  Tensor erase, add, write_weights, read, read_weights;
};

/// State between steps. A value; copies share the tensors.
struct MachineState {
  LayerStates layers;  // states of recurrent layers
  MemoryState memory;  // state of the memory, if there is one
  /// Receives a MemoryStep after each step, if set and there is a memory.
  std::vector<MemoryStep>* trace = nullptr;
};

/// Causal map from a sequence of vectors to one of equal length. Immutable
/// except for its parameters; thread-safe.
class SequenceMachine {
 public:
  virtual ~SequenceMachine() = default;

  virtual MachineState Start(const Context& ctx, int64_t batch) const = 0;
  /// Runs T steps from a state and advances it; single steps and all at once
  /// give equal results. Observers may replace the input "source". Shapes: x
  /// [T, B, inputs], result [T, B, outputs].
  virtual Var Run(const Context& ctx, const Var& x,
                  MachineState& state) const = 0;
  /// Configuration of the memory; 0 slots: no memory.
  virtual MemoryConfig memory() const { return {.slots = 0}; }
  /// Number of heads that read and write the memory.
  virtual int64_t heads() const { return 0; }
  /// Structure for diagrams, without the name, which TaskModel adds; undefined
  /// if not provided.
  virtual ModelOutline Outline() const { return {}; }
};

}  // namespace heed

#endif  // HEED_MODELS_NTM_MACHINE_H_
