// Tapes, variables and parameters of heed.h.
#ifndef HEED_APPS_LIBHEED_VARIABLES_H_
#define HEED_APPS_LIBHEED_VARIABLES_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/libheed/guard.h"
#include "heed/autograd/context.h"
#include "heed/autograd/parameter_set.h"
#include "heed/base/rng.h"

namespace heed::c {

/// A parameter and the set that owns it.
struct SharedParameter {
  std::shared_ptr<ParameterSet> set;
  Parameter* parameter;
};

/// A tape, which its variables keep alive.
struct SharedTape {
  Tape tape;
  std::vector<SharedParameter> parameters = {};  ///< on the tape
  bool done = false;                             ///< gradients are computed
  std::optional<Rng> rng = {};                   ///< of dropout, if trained
};

}  // namespace heed::c

struct heed_tape {
  std::shared_ptr<heed::c::SharedTape> shared =
      std::make_shared<heed::c::SharedTape>();
};

struct heed_parameter {
  heed::c::SharedParameter shared;
};

struct heed_variable {
  heed::Var value;
  std::shared_ptr<heed::c::SharedTape> tape = {};  ///< null: a constant
  std::shared_ptr<heed::ParameterSet> set = {};    ///< of a parameter
};

namespace heed::c {

/// The tape of a call, or null. Throws: ArgumentError if its gradients are
/// computed already.
SharedTape* TapeOf(const heed_tape* tape);

/// A variable in a computation on `tape`. Throws: ArgumentError if it is null,
/// or on another tape.
const Var& OnTape(const heed_variable* variable, const SharedTape* tape,
                  const char* name);

/// A result of an operation on `tape`.
heed_variable* NewVariable(const heed_tape* tape, Var value);

}  // namespace heed::c

#endif  // HEED_APPS_LIBHEED_VARIABLES_H_
