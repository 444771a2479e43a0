// Checkpoints: the state that a training run needs to resume exactly.
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

/// State of a run between two updates.
struct TrainingState {
  int64_t step = 0;    // updates done
  int64_t steps = 0;   // expected steps of the whole run; 0: unknown
  int64_t epoch = 0;   // from 0
  int64_t batch = 0;   // batches of this epoch done
  int64_t tokens = 0;  // target tokens seen
  uint64_t rng_position = 0;
  ValidationState valid;
  /// State without the last validation, if only the end of the run triggered
  /// it; a longer run would not have made this validation.
  std::optional<ValidationState> scheduled;
  std::string examples;                // Trainable::Checksum
  std::vector<NamedTensor> objective;  // Trainable::State
};

/// Checks that tensors are finite. Throws: NumericError that names a tensor
/// with NaN or infinity.
void CheckFinite(const std::vector<NamedTensor>& tensors);

/// Writes one file atomically: weights, optimiser, moving average (optional)
/// and state.
/// Throws: IoError; NumericError if a weight or a tensor of the objective is
/// not finite.
void WriteCheckpoint(const std::string& path, const ParameterSet& parameters,
                     const Optimizer& optimizer, const WeightAverage* average,
                     const TrainingState& state);

/// Restores weights, optimiser and moving average from a checkpoint. Throws:
/// IoError; FormatError.
TrainingState ReadCheckpoint(const std::string& path, ParameterSet& parameters,
                             Optimizer& optimizer, WeightAverage* average);

/// Metadata of unvalidated weights, with the step at which they were written.
Metadata UnvalidatedAt(const TrainingState& state);

/// "m has no validated weights yet (stopped at step 22 of 560); continue with
/// heed train --resume m" for metadata of UnvalidatedAt; nothing for other
/// weights.
std::string UnvalidatedNote(const std::string& folder,
                            const Metadata& metadata);

/// True if a model folder has weights without the mark of UnvalidatedAt.
/// Throws: as ReadTensors.
bool HasValidatedWeights(const std::string& folder);

/// Reads the weights of a model folder. Throws: as ReadTensors; FormatError,
/// with the command to continue, if the run stopped before its first
/// validation.
SafetensorsFile ReadWeights(const std::string& folder);

/// The objective's tensors of a checkpoint, in the order of `expected`, the
/// Trainable::State of the resumed run. Throws: FormatError that names `path`
/// if names, shapes or types differ.
std::vector<NamedTensor> ObjectiveState(
    const TrainingState& state, const std::vector<NamedTensor>& expected,
    const std::string& path);

}  // namespace heed

#endif  // HEED_TRAIN_CHECKPOINT_H_
