// Neural Turing Machine, and an LSTM for comparison.
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

/// Controller with a memory. Step t, with M the memory and r the read vectors:
///   1. o_t = controller(x_t, r_{t−1}): tanh layers, or LSTMs with a state;
///   2. all write heads address M_{t−1}, all erase, then all add;
///   3. all read heads address M_t (read_order before: M_{t−1}, preceding 2)
///      and read: r_t;
///   4. y_t = W [o_t; r_t] + b.
/// Parameters: input (x), input_read (r), layers.i (further ones); for an LSTM
/// controller layers.i of Recurrent and its start; write, read, memory; output
/// (o), output_read (r). Paper: Graves et al. 2014, arXiv:1410.5401.
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
  /// Controller output o_t from the projection of x_t.
  Var Control(const Context& ctx, const Var& projected,
              MachineState& state) const;

  ResolvedNtm config_;
  std::vector<Linear> dense_;      // of a feed-forward controller
  std::vector<Recurrent> lstms_;   // of an LSTM controller
  std::vector<Parameter*> start_;  // initial states of its layers [2·units]
  Parameter* dense_read_ = nullptr;
  MemoryWriter writer_;
  MemoryReader reader_;
  WritableMemory memory_;
  Linear output_;
  Parameter& output_read_;
};

/// Stack of LSTMs and an affine map. Parameters: layers, output.
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
