// What a run needs to go on as if it had never stopped.
#ifndef HEED_TRAIN_CHECKPOINT_H_
#define HEED_TRAIN_CHECKPOINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/io/safetensors.h"
#include "heed/train/optimizer.h"
#include "heed/train/validation.h"
#include "heed/train/weight_average.h"

namespace heed {

/// Where a run stands, between two updates.
struct TrainingState {
  int64_t step = 0;    // updates done
  int64_t steps = 0;   // of the whole run, as far as is known; 0: unknown
  int64_t epoch = 0;   // from 0
  int64_t batch = 0;   // batches of this epoch done
  int64_t tokens = 0;  // target tokens seen
  uint64_t rng_position = 0;
  ValidationState valid;
  /// Without the last validation, if only the end of the run called for it: a
  /// longer run would not have made it.
  std::optional<ValidationState> scheduled;
  std::string examples;                // Trainable::CheckSum
  std::vector<NamedTensor> objective;  // Trainable::State
};

/// Throws: NumericError, naming a tensor that has a NaN or an infinity.
void CheckFinite(const std::vector<NamedTensor>& tensors);

/// One file, so that it appears as a whole: weights, optimiser, moving average
/// (if there is one) and state.
/// Throws: IoError; NumericError if a weight or a tensor of the objective is
/// not finite.
void WriteCheckpoint(const std::string& path, const ParameterSet& parameters,
                     const Optimizer& optimizer, const WeightAverage* average,
                     const TrainingState& state);

/// Throws: IoError; FormatError.
TrainingState ReadCheckpoint(const std::string& path, ParameterSet& parameters,
                             Optimizer& optimizer, WeightAverage* average);

/// Says in the metadata of weights that no validation has measured them, and at
/// which step of the run they were written.
Metadata UnvalidatedAt(const TrainingState& state);

/// "m has no validated weights yet (stopped at step 22 of 560); continue with
/// heed train --resume m" for metadata of UnvalidatedAt; nothing for other
/// weights.
std::string UnvalidatedNote(const std::string& folder,
                            const Metadata& metadata);

/// Whether a model folder has weights that are not those of UnvalidatedAt.
/// Throws: as ReadTensors.
bool HasValidatedWeights(const std::string& folder);

/// Weights of a model folder. Throws: as ReadTensors; FormatError, which says
/// how to go on, if the run of the folder stopped before its first validation.
SafetensorsFile ReadWeights(const std::string& folder);

/// The objective's tensors of a checkpoint in the order of `expected`, which
/// is Trainable::State of the one that goes on. Throws: FormatError, naming
/// `path`, if the two differ in a name, shape or type.
std::vector<NamedTensor> ObjectiveState(
    const TrainingState& state, const std::vector<NamedTensor>& expected,
    const std::string& path);

}  // namespace heed

#endif  // HEED_TRAIN_CHECKPOINT_H_
