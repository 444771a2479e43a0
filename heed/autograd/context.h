// What a computation gets besides its inputs.
#ifndef HEED_AUTOGRAD_CONTEXT_H_
#define HEED_AUTOGRAD_CONTEXT_H_

#include <string>
#include <vector>

#include "heed/autograd/probe.h"
#include "heed/autograd/recorder.h"
#include "heed/autograd/tape.h"
#include "heed/base/cancellation.h"
#include "heed/base/rng.h"

namespace heed {

/// Takes the weights of one attention as they are computed, to make a loss of
/// them: that attention then runs composed, so that they have a gradient.
struct WeightsTap {
  std::string layer;         // its path in the model
  std::vector<Var> weights;  // of each call, before dropout [B, H, T, S]
};

/// Passed to every layer and model; there are no globals. Without a tape
/// nothing is kept for gradients; without `training` there is no dropout.
class Context {
 public:
  Tape* tape = nullptr;
  Rng* rng = nullptr;  // needed if training
  bool training = false;
  Recorder* recorder = nullptr;  // receives attention weights if set
  WeightsTap* tap = nullptr;     // receives those of one, if set
  Probe* probe = nullptr;        // sees embeddings and contexts of heads if set
  /// What is differentiated depends on inputs alone: parameters are constants,
  /// so that many threads may explain one model.
  bool fixed_parameters = false;
  /// Ends the computation early if set; looked at between layers and steps.
  const Cancellation* cancellation = nullptr;

  /// A parameter as an operand: a leaf if there is a tape and it is not frozen,
  /// else a constant.
  Var Use(const Parameter& parameter) const {
    if (tape != nullptr && !fixed_parameters && !parameter.frozen()) {
      return tape->Leaf(const_cast<Parameter&>(parameter));
    }
    Var constant(parameter.value());
    constant.parameter_ = &parameter;
    return constant;
  }

  /// Throws: Cancelled.
  void CheckCancelled() const {
    if (cancellation != nullptr) cancellation->Check();
  }

  /// A fresh key for a random operation such as dropout.
  uint64_t NextKey() const { return rng->Next(); }
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_CONTEXT_H_
