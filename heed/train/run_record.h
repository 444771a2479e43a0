// What a training did, so that it can be repeated and compared.
#ifndef HEED_TRAIN_RUN_RECORD_H_
#define HEED_TRAIN_RUN_RECORD_H_

#include <cstdint>
#include <map>
#include <string>

#include "heed/autograd/parameter_set.h"
#include "heed/train/processes.h"
#include "heed/train/trainable.h"

namespace heed {

/// In a model folder, beside its checkpoint.
inline constexpr const char* kRunFile = "run.json";

/// Check sums of the elements of each parameter, by its name.
std::map<std::string, std::string> SumsOf(const ParameterSet& parameters);

/// Of a run up to its last checkpoint: on what it stands, a digest of loss and
/// gradient for its steps, which follow from all weights before, and the
/// weights that it came to.
struct RunRecord {
  std::string version;       // of heed
  std::string instructions;  // of the processor, that kernels use
  std::string examples;      // Trainable::CheckSum
  uint64_t seed = 0;
  int shards = 1;
  int64_t step = 0;                   // of the weights
  std::map<int64_t, uint32_t> steps;  // digests of the steps that are kept
  std::map<std::string, std::string> weights;  // check sums by parameter

  /// Of a run that begins here and now.
  static RunRecord Begin(std::string examples, const TrainingConfig& config);
  /// Throws: IoError; FormatError.
  static RunRecord Read(const std::string& path);

  /// Keeps the step: each of the first thousand, then each hundredth.
  void Add(int64_t step, double loss, double gradient_norm);
  /// Leaves out what comes after this step, as a run does that goes on there.
  void GoBackTo(int64_t step);
  void SetWeights(const ParameterSet& parameters, int64_t at_step);
  /// Beside them stand the settings of the folder. Throws: IoError.
  void Write(const std::string& folder) const;
};

struct Verification {
  int64_t steps = 0;      ///< that were done again
  int64_t compared = 0;   ///< of which there are digests
  int64_t differs = 0;    ///< the first that is another; 0: none
  bool weights = false;   ///< whether weights were compared
  std::string parameter;  ///< the first that differs, if one does
};

/// Does the first `steps` of a run again, in memory, and compares; with the
/// weights too if that is as far as the record goes. Ends at the first
/// difference. All processes call it. Throws: FormatError if the examples are
/// others; as Updater::Update.
Verification Verify(Trainable& trained, const TrainingConfig& config,
                    const RunRecord& record, int64_t steps,
                    Processes& processes);

}  // namespace heed

#endif  // HEED_TRAIN_RUN_RECORD_H_
