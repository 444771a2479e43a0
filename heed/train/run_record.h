// Record of a training run, for reproducing and comparing it.
#ifndef HEED_TRAIN_RUN_RECORD_H_
#define HEED_TRAIN_RUN_RECORD_H_

#include <cstdint>
#include <map>
#include <string>

#include "heed/autograd/parameter_set.h"
#include "heed/train/processes.h"
#include "heed/train/trainable.h"

namespace heed {

/// File in a model folder, next to its checkpoint.
inline constexpr const char* kRunFile = "run.json";

/// Checksums of the elements of each parameter, by name.
std::map<std::string, std::string> SumsOf(const ParameterSet& parameters);

/// Record of a run up to its last checkpoint: its inputs, a digest of loss and
/// gradient norm per step, which depends on all earlier weights, and the final
/// weights.
struct RunRecord {
  std::string version;       // version of Heed
  std::string instructions;  // CPU instruction set of the kernels
  std::string examples;      // Trainable::Checksum
  uint64_t seed = 0;
  int shards = 1;
  int64_t step = 0;                            // step of the weights
  std::map<int64_t, uint32_t> steps;           // digests of the recorded steps
  std::map<std::string, std::string> weights;  // checksums by parameter

  /// Record of a run that starts now.
  static RunRecord Begin(std::string examples, const TrainingConfig& config);
  /// Reads a record. Throws: IoError; FormatError.
  static RunRecord Read(const std::string& path);

  /// Records a step: each of the first thousand, then every hundredth.
  void Add(int64_t step, double loss, double gradient_norm);
  /// Removes the steps after `step`, for a run that resumes there.
  void GoBackTo(int64_t step);
  void SetWeights(const ParameterSet& parameters, int64_t at_step);
  /// Writes the record to `folder`, which also holds the settings. Throws:
  /// IoError.
  void Write(const std::string& folder) const;
};

struct Verification {
  int64_t steps = 0;      ///< repeated steps
  int64_t compared = 0;   ///< steps with a digest
  int64_t differs = 0;    ///< first step that differs; 0: none
  bool weights = false;   ///< weights were compared
  std::string parameter;  ///< first parameter that differs, if any
};

/// Repeats the first `steps` of a run in memory and compares digests, and also
/// the weights if the record ends there. Stops at the first difference. All
/// processes must call it. Throws: FormatError if the examples differ; as
/// Updater::Update.
Verification Verify(Trainable& trained, const TrainingConfig& config,
                    const RunRecord& record, int64_t steps,
                    Processes& processes);

}  // namespace heed

#endif  // HEED_TRAIN_RUN_RECORD_H_
