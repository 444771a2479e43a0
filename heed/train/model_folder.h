// Model folders: config.json, model.safetensors and further files such as
// vocabularies.
#ifndef HEED_TRAIN_MODEL_FOLDER_H_
#define HEED_TRAIN_MODEL_FOLDER_H_

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/parameter_set.h"
#include "heed/base/shared_bytes.h"
#include "heed/io/safetensors.h"

namespace heed {

// Files of a model folder besides vocabularies.
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kWeightsFile = "model.safetensors";
/// Metadata key of the weights: the program that a model was imported from.
inline constexpr const char* kImportedKey = "heed.imported";
/// Metadata key of the weights: the family of an imported model, such as
/// "gpt2".
inline constexpr const char* kFamilyKey = "heed.family";
/// Licence of an imported model, if its folder has one.
inline constexpr const char* kLicenceFile = "LICENSE";
/// Files of a training run: the checkpoint, the weights of the last
/// validations, and copies of inputs read from streams.
inline constexpr const char* kCheckpointFile = "training.safetensors";
inline constexpr const char* kKeptFolder = "checkpoints";
inline constexpr const char* kInputFolder = "input";
/// Subfolder of a run that has no usable model yet; see OutFolder.
inline constexpr const char* kNextFolder = ".next";
/// Subfolder of a complete model that is being moved into place; see OutFolder.
inline constexpr const char* kReadyFolder = ".ready";

/// Contents of the files other than config.json and the weights, by name.
using ModelFiles = std::map<std::string, SharedBytes>;

struct ModelDescription {
  nlohmann::ordered_json settings;  // without the key "heed"
  ModelFiles files;
};

std::string PathIn(const std::string& folder, const std::string& file);
/// True if `name` is a valid entry name of a folder: not empty, no path, no NUL
/// byte, neither "." nor "..".
bool IsEntryName(const std::string& name);
/// Path from which a model file is read: PathIn(folder, file), or the folder's
/// .ready if a process was killed while it moved a new model into place.
std::string ModelPath(const std::string& folder, const std::string& file);

/// Writes config.json and the files. config.json holds the settings and, under
/// "heed", the format version and checksums. Throws: IoError.
void WriteModelConfig(const std::string& folder,
                      const ModelDescription& description);

/// Reads everything except the weights, for resumed training. Throws: IoError
/// or FormatError that names the file that is missing, truncated, damaged or of
/// a newer version.
ModelDescription ReadModelConfig(const std::string& folder);

/// Reads only the settings, to identify the kind of model. Throws: IoError or
/// FormatError that names the file.
nlohmann::ordered_json ReadModelSettings(const std::string& folder);

/// Writes tensors with a checksum of names, shapes and elements. Throws:
/// IoError.
void WriteTensors(const std::string& path, std::span<const NamedTensor> tensors,
                  Metadata metadata);
/// Writes weights with a checksum one by one, so that they need not be in
/// memory together.
class WeightsWriter {
 public:
  explicit WeightsWriter(std::string path) : path_(std::move(path)) {}

  /// Opens the file for these parameters if it is not open. Throws: IoError.
  void Begin(const ParameterSet& parameters);
  /// Throws: IoError; ConfigError for a parameter that was written before.
  void Add(const Parameter& parameter);
  bool Has(const Parameter& parameter) const {
    return names_.contains(parameter.name());
  }
  /// Completes the file. Throws: IoError.
  void Finish(Metadata metadata);

 private:
  std::string path_;
  std::optional<SafetensorsWriter> file_;
  std::set<std::string> names_;
  std::string digest_;
};
/// Reads tensors. Throws: IoError; FormatError, also if the checksum differs.
SafetensorsFile ReadTensors(const std::string& path);

/// True if no element is NaN or infinite; always true for integers.
bool IsFinite(const Tensor& tensor);

/// Copies tensors to the parameters of the same names.
/// Throws: FormatError that names `file` for a missing tensor, a wrong shape,
/// NaN or infinity.
void SetParameters(ParameterSet& parameters,
                   const std::vector<NamedTensor>& tensors,
                   const std::string& file);
/// Moves tensors to the parameters of the same names without copying (see
/// TakeTensors). Throws: FormatError that names `file` for a missing tensor, a
/// wrong shape, NaN or infinity.
void TakeParameters(ParameterSet& parameters, std::vector<NamedTensor> tensors,
                    const std::string& file);

}  // namespace heed

#endif  // HEED_TRAIN_MODEL_FOLDER_H_
