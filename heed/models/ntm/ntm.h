// The Neural Turing Machine, and the LSTM that it is compared with.
#ifndef HEED_MODELS_NTM_NTM_H_
#define HEED_MODELS_NTM_NTM_H_

#include <cstdint>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/models/ntm/machine.h"
#include "heed/models/ntm/ntm_config.h"
#include "heed/nn/linear.h"
#include "heed/nn/memory_head.h"
#include "heed/nn/recurrent.h"

namespace heed {

/// A controller with a memory. A step t, with M the memory and r what was read:
///   1. o_t = controller(x_t, r_{t−1}): tanh layers, or LSTMs with a state;
///   2. all write heads choose slots by M_{t−1}, all erase, then all add;
///   3. all read heads choose slots of M_t (read_order before: of M_{t−1}, in
///      front of 2) and read them: r_t;
///   4. y_t = W [o_t; r_t] + b.
/// Parameters: input (x), input_read (r), layers.i (further ones), of an LSTM
/// controller layers.i of Recurrent and its start; write, read, memory; output
/// (o), output_read (r).
/// Paper: Graves et al. 2014, arXiv:1410.5401.
class NeuralTuringMachine : public SequenceMachine {
 public:
  NeuralTuringMachine(const Scope& scope, const ResolvedNtm& config,
                      int64_t inputs, int64_t outputs);

  MachineState Start(const Context& ctx, int64_t batch) const override;
  Var Run(const Context& ctx, const Var& x, MachineState& state) const override;
  MemoryConfig memory() const override { return config_.memory; }
  int64_t heads() const override {
    return config_.write_heads + config_.read_heads;
  }
  ModelOutline Outline() const override;

 private:
  bool recurrent() const { return config_.controller == Controller::kLstm; }
  Var ProjectInputs(const Context& ctx, const Var& x) const;
  /// o_t of the part of its first layer that x_t gives.
  Var Control(const Context& ctx, const Var& projected,
              MachineState& state) const;

  ResolvedNtm config_;
  std::vector<Linear> dense_;      // of a feedforward controller
  std::vector<Recurrent> lstms_;   // of a recurrent one
  std::vector<Parameter*> start_;  // of its layers [2·units]
  Parameter* dense_read_ = nullptr;
  MemoryWriter writer_;
  MemoryReader reader_;
  WritableMemory memory_;
  Linear output_;
  Parameter& output_read_;
};

/// A stack of LSTMs and an affine map. Parameters: layers, output.
class LstmMachine : public SequenceMachine {
 public:
  LstmMachine(const Scope& scope, int64_t layers, int64_t units, int64_t inputs,
              int64_t outputs);

  MachineState Start(const Context& ctx, int64_t batch) const override;
  Var Run(const Context& ctx, const Var& x, MachineState& state) const override;
  ModelOutline Outline() const override;

 private:
  int64_t layers_;
  int64_t units_;
  DType dtype_;
  RecurrentEncoder stack_;
  Linear output_;
};

}  // namespace heed

#endif  // HEED_MODELS_NTM_NTM_H_
