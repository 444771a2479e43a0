// Machines: what reads a vector and answers with one, step by step, and carries
// all that it knows from step to step.
#ifndef HEED_MODELS_NTM_MACHINE_H_
#define HEED_MODELS_NTM_MACHINE_H_

#include <cstdint>
#include <vector>

#include "heed/autograd/context.h"
#include "heed/base/model_outline.h"
#include "heed/nn/memory_head.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// What a memory went through in one step. Shapes: erase, add [B, H_w·F], read
/// [B, H_r·F], write_weights [B, H_w, N], read_weights [B, H_r, N].
struct MemoryStep {
  Tensor erase, add, write_weights, read, read_weights;
};

/// What goes on from step to step. A value; copies share the tensors.
struct MachineState {
  LayerStates layers;  // of what is recurrent
  MemoryState memory;  // of a machine that has one
  /// Gets a step after each one, if it is set and there is a memory.
  std::vector<MemoryStep>* trace = nullptr;
};

/// From a sequence of vectors to one of vectors of the same length, without
/// seeing what comes later. Immutable but for its parameters; used from many
/// threads.
class SequenceMachine {
 public:
  virtual ~SequenceMachine() = default;

  virtual MachineState Start(const Context& ctx, int64_t batch) const = 0;
  /// Goes on from a state by T steps, one or many, and changes it: steps one by
  /// one give what all at once do. An observer may change what is read, the
  /// input "source". Shapes: x [T, B, inputs], result [T, B, outputs].
  virtual Var Run(const Context& ctx, const Var& x,
                  MachineState& state) const = 0;
  /// Of a memory; 0 slots: there is none.
  virtual MemoryConfig memory() const { return {.slots = 0}; }
  /// What writes and reads it.
  virtual int64_t heads() const { return 0; }
  /// What it is made of, but for its name, as TaskModel has it; undefined: it
  /// does not say.
  virtual ModelOutline Outline() const { return {}; }
};

}  // namespace heed

#endif  // HEED_MODELS_NTM_MACHINE_H_
