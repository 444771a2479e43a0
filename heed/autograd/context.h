// Context of a computation: tape, random numbers, mode and observer.
#ifndef HEED_AUTOGRAD_CONTEXT_H_
#define HEED_AUTOGRAD_CONTEXT_H_

#include <string>

#include "heed/autograd/observer.h"
#include "heed/autograd/tape.h"
#include "heed/base/cancellation.h"
#include "heed/base/rng.h"

namespace heed {

/// Passed to every layer and model; there are no globals. Without a tape
/// nothing is stored for gradients; without `training` there is no dropout.
class Context {
 public:
  Tape* tape = nullptr;
  Rng* rng = nullptr;  // needed if training
  bool training = false;
  Observer* observer = nullptr;  // receives inputs and attentions if set
  /// True to replace sampled attention by its expectation.
  bool expects_choices = false;
  /// True to differentiate with respect to inputs alone: parameters are
  /// constants, so that many threads may explain one model.
  bool fixed_parameters = false;
  /// Ends the computation early if set; checked between layers and steps.
  const Cancellation* cancellation = nullptr;

  /// Parameter as an operand: a leaf if there is a tape and the parameter is
  /// not frozen, else a constant.
  Var Use(const Parameter& parameter) const {
    if (tape != nullptr && !fixed_parameters && !parameter.frozen()) {
      return tape->Leaf(const_cast<Parameter&>(parameter));
    }
    Var constant(parameter.value());
    constant.parameter_ = &parameter;
    return constant;
  }

  bool ObservesInput(const std::string& name) const {
    return observer != nullptr && observer->WantsInput(name);
  }
  /// x, or its replacement by an observer: the vectors of an input, in reading
  /// order. Shapes: x [B, S, M].
  Var Input(const std::string& name, const Var& x) const {
    return ObservesInput(name) ? observer->OnInput(name, x) : x;
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
