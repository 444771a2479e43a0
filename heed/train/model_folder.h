// A model on disk: config.json, model.safetensors and further files such as
// vocabularies.
#ifndef HEED_TRAIN_MODEL_FOLDER_H_
#define HEED_TRAIN_MODEL_FOLDER_H_

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/io/safetensors.h"

namespace heed {

// What a model folder may hold, besides vocabularies.
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kWeightsFile = "model.safetensors";
/// Metadata key of the weights: the program that a model was imported from.
inline constexpr const char* kImportedKey = "heed.imported";
/// Files of a run: the state to resume from, the weights of its last
/// validations, and copies of what it read from streams.
inline constexpr const char* kCheckpointFile = "training.safetensors";
inline constexpr const char* kKeptFolder = "checkpoints";
inline constexpr const char* kInputFolder = "input";
/// A run that has nothing yet that the folder could hold; see OutFolder.
inline constexpr const char* kNextFolder = ".next";
/// A whole new model on its way to its place; see OutFolder.
inline constexpr const char* kReadyFolder = ".ready";

/// Bytes of the files beside config.json and the weights, by name.
using ModelFiles = std::map<std::string, std::string>;

struct ModelDescription {
  nlohmann::ordered_json settings;  // without the key "heed"
  ModelFiles files;
};

std::string PathIn(const std::string& folder, const std::string& file);
/// Whether it is the name of an entry of a folder: not empty, no path, no zero
/// byte, neither "." nor "..".
bool IsEntryName(const std::string& name);
/// Where a file of a model is read: PathIn, or in .ready of the folder, where a
/// process that wrote a new model was killed before it could move all files.
std::string ModelPath(const std::string& folder, const std::string& file);

/// Writes config.json and the files. config.json holds the settings and, under
/// "heed", the format version and check sums. Throws: IoError.
void WriteModelConfig(const std::string& folder,
                      const ModelDescription& description);

/// Everything but the weights; what a resumed training starts from. Throws:
/// IoError or FormatError that names the file that is missing, cut short,
/// damaged or of a newer version.
ModelDescription ReadModelConfig(const std::string& folder);

/// The settings alone, to see what kind of model it is. Throws: the same.
nlohmann::ordered_json ReadModelSettings(const std::string& folder);

/// Tensors with a check sum of names, shapes and elements. Throws: IoError.
void WriteTensors(const std::string& path, std::span<const NamedTensor> tensors,
                  Metadata metadata);
/// Throws: IoError; FormatError also if the check sum differs.
SafetensorsFile ReadTensors(const std::string& path);

/// Whether no element is NaN or infinity; none of integers is.
bool IsFinite(const Tensor& tensor);

/// Copies tensors into parameters of the same names.
/// Throws: FormatError, naming `file`, for a missing or ill-shaped one, and for
/// NaN or infinity.
void SetParameters(ParameterSet& parameters,
                   const std::vector<NamedTensor>& tensors,
                   const std::string& file);
/// The same with tensors that nobody else needs, see TakeTensors.
void TakeParameters(ParameterSet& parameters, std::vector<NamedTensor> tensors,
                    const std::string& file);

}  // namespace heed

#endif  // HEED_TRAIN_MODEL_FOLDER_H_
