// A model on disk: config.json, model.safetensors and the vocabulary files.
#ifndef HEED_TRAIN_MODEL_FOLDER_H_
#define HEED_TRAIN_MODEL_FOLDER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/vocabulary.h"
#include "heed/io/safetensors.h"
#include "heed/models/sequence_model.h"
#include "heed/train/config.h"

namespace heed {

/// Source and target; the same object twice if they are joint.
struct Vocabularies {
  Vocabulary source;
  Vocabulary target;
};

/// Writes config.json and the vocabulary files. config.json holds the keys of
/// TrainConfig and, under "heed", the format version and check sums.
/// Throws: IoError.
void WriteModelConfig(const std::string& folder, TrainConfig& config,
                      const Vocabularies& vocabularies);

/// Tensors with a check sum of names, shapes and elements. Throws: IoError.
void WriteTensors(const std::string& path, std::span<const NamedTensor> tensors,
                  Metadata metadata);
/// Throws: IoError; FormatError also if the check sum differs.
SafetensorsFile ReadTensors(const std::string& path);

/// The values of all parameters.
std::vector<NamedTensor> ParameterTensors(const ParameterSet& parameters);
/// Copies tensors into parameters of the same names.
/// Throws: FormatError, naming `file`, for a missing or ill-shaped one.
void SetParameters(ParameterSet& parameters,
                   const std::vector<NamedTensor>& tensors,
                   const std::string& file);

/// A model that was read from a folder.
struct ModelFolder {
  std::string folder;
  TrainConfig config;
  Vocabularies vocabularies;
  std::unique_ptr<SequenceModel> model;
  Metadata metadata;  // of the weights: step, score
};

/// Everything but the weights; what a resumed training starts from.
/// Throws: IoError or FormatError that names the file.
struct ModelDescription {
  TrainConfig config;
  Vocabularies vocabularies;
};
ModelDescription ReadModelConfig(const std::string& folder);

/// Throws: IoError or FormatError that names the file that is missing, cut
/// short, damaged or of a newer version.
ModelFolder ReadModel(const std::string& folder);

/// The model that a resolved config describes, with fresh weights.
std::unique_ptr<SequenceModel> MakeModel(const TrainConfig& config,
                                         const Vocabularies& vocabularies);

}  // namespace heed

#endif  // HEED_TRAIN_MODEL_FOLDER_H_
