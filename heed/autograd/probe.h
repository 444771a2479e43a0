// Reaches into a computation: what inputs and heads matter.
#ifndef HEED_AUTOGRAD_PROBE_H_
#define HEED_AUTOGRAD_PROBE_H_

#include <string>

#include "heed/autograd/tape.h"

namespace heed {

/// Given to a Context by who wants to see or to replace what passes; what a
/// function returns goes on in the place of what it was given, and has the same
/// shape.
class Probe {
 public:
  virtual ~Probe() = default;

  /// Vectors that stand for the tokens of an input, before positions are added
  /// to them. `layer` is their path in the model. Shapes: x [..., features].
  virtual Var OnEmbedding(const std::string& /*layer*/, const Var& x) {
    return x;
  }
  /// What the heads of one attention read, side by side, before it is mixed.
  /// Shapes: context [B, T, H D].
  virtual Var OnContext(const std::string& /*layer*/, int64_t /*heads*/,
                        const Var& context) {
    return context;
  }
};

}  // namespace heed

#endif  // HEED_AUTOGRAD_PROBE_H_
