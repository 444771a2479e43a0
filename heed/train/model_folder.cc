#include "heed/train/model_folder.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <string_view>

#include "heed/base/config.h"
#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/io/file.h"
#include "heed/kernels/reduce.h"
#include "heed/train/optimizer.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

/// Since format 2, a sigmoid has a bias and patches of a series may be padded.
constexpr int kFormat = 2;
constexpr const char* kOwnKey = "heed";
constexpr const char* kChecksumKey = "heed.crc32";

std::string Hex(uint32_t value) { return fmt::format("{:08x}", value); }

/// Line of a tensor in the text of Checksum().
std::string DigestOf(const NamedTensor& tensor) {
  const Tensor dense = tensor.value.Contiguous();
  const std::string_view bytes(static_cast<const char*>(dense.raw()),
                               static_cast<size_t>(dense.bytes()));
  return fmt::format("{} {} {} {}\n", tensor.name, Name(dense.dtype()),
                     dense.shape().ToString(), Hex(Crc32(bytes)));
}

/// Checksum over everything that a reader relies on. `digest`: lines of the
/// tensors in order.
std::string Checksum(std::string digest, const Metadata& metadata) {
  for (const auto& [key, value] : metadata) {
    if (key != kChecksumKey) digest += fmt::format("{}={}\n", key, value);
  }
  return Hex(Crc32(digest));
}

std::string Checksum(std::span<const NamedTensor> tensors,
                     const Metadata& metadata) {
  std::string digest;
  for (const NamedTensor& tensor : tensors) digest += DigestOf(tensor);
  return Checksum(std::move(digest), metadata);
}

/// Checksum of config.json over its text without the checksum itself.
std::string ConfigChecksum(Json json) {
  json[kOwnKey].erase("checksum");
  return Hex(Crc32(json.dump()));
}

Json ReadConfigJson(const std::string& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw IoError(folder + ": not a folder with a model");
  }
  const std::string path = PathIn(folder, kConfigFile);
  if (!std::filesystem::exists(ModelPath(folder, kConfigFile))) {
    if (std::filesystem::exists(
            PathIn(PathIn(folder, kNextFolder), kConfigFile))) {
      throw IoError(
          "{} has no validated weights yet (stopped at its start); continue "
          "with heed train --resume {}",
          folder, folder);
    }
    if (std::filesystem::exists(PathIn(folder, kNextFolder))) {
      throw IoError(
          "{} has no model yet: its training was stopped before it had read "
          "the data; start it again",
          folder);
    }
    throw IoError("{}: not a folder with a model (it has no {})", folder,
                  kConfigFile);
  }
  Json json = ParseJson(ReadFile(ModelPath(folder, kConfigFile)), path);
  if (!json.is_object() || !json.contains(kOwnKey) ||
      !json[kOwnKey].is_object()) {
    throw FormatError(
        path +
        ": not a model's configuration (no key 'heed'); heed import reads "
        "those of other programs");
  }
  const Json& own = json[kOwnKey];
  const Json format = own.value("format", Json());
  if (format.is_number() && format > kFormat) {
    throw FormatError(
        "{}: written by a newer version of Heed (format {}, this "
        "one reads up to {})",
        path, format.dump(), kFormat);
  }
  if (!own.contains("checksum") || own["checksum"] != ConfigChecksum(json)) {
    throw FormatError(
        path +
        ": damaged or changed after it was written (its check sum "
        "differs); train again, or copy the folder again");
  }
  return json;
}

/// Upgrades settings of an older format to equivalent current settings.
void UpgradeSettings(const Json& format, Json& json) {
  const auto shared = json.find("shared_words");
  if (shared != json.end() && shared->is_boolean()) {
    *shared = shared->get<bool>() ? "bm25" : "none";
  }
  // Captioners had pooled cells and another default score.
  if (json.contains("cell_positions") && !json.contains("pool_cells")) {
    json["pool_cells"] = "yes";
    if (json.value("score", Json()) == "auto") {
      json["score"] = "location_aware(5, 15)";
    }
  }
  if (format.is_number() && format >= 2) return;
  for (const char* sigmoid : {"sigmoid", "smoothed_sigmoid"}) {
    if (json.value("normalizer", Json()) == sigmoid) {
      json["normalizer"] = std::string(sigmoid) + "(0)";
      break;
    }
  }
  if (json.contains("patch_stride")) json["pad_end"] = "no";
}

/// Removes the key "heed" from a configuration and returns its value.
Json TakeOwn(Json& json) {
  Json own = std::move(json[kOwnKey]);
  json.erase(kOwnKey);
  UpgradeSettings(own.value("format", Json()), json);
  return own;
}

void CheckFinite(std::span<const NamedTensor> tensors,
                 const std::string& file) {
  for (const NamedTensor& t : tensors) {
    if (IsFinite(t.value)) continue;
    throw FormatError(
        "{}: tensor '{}' holds NaN or infinity; train or copy it again", file,
        t.name);
  }
}

}  // namespace

std::string PathIn(const std::string& folder, const std::string& file) {
  return (std::filesystem::path(folder) / file).string();
}

bool IsEntryName(const std::string& name) {
  // The system truncates names at a NUL byte.
  constexpr std::string_view kNotInNames("/\0", 2);
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(kNotInNames) == std::string::npos;
}

std::string ModelPath(const std::string& folder, const std::string& file) {
  const auto ready = std::filesystem::path(folder) / kReadyFolder / file;
  return std::filesystem::exists(ready) ? ready.string() : PathIn(folder, file);
}

void WriteModelConfig(const std::string& folder,
                      const ModelDescription& description) {
  Json json = description.settings;
  for (const auto& [key, value] : json.items()) {
    try {
      (void)value.dump();
    } catch (const Json::type_error&) {
      throw ConfigError("{}: is not UTF-8, and so cannot be written to {}", key,
                        kConfigFile);
    }
  }
  Json sums = Json::object();
  for (const auto& [name, bytes] : description.files) {
    WriteFileAtomically(PathIn(folder, name), bytes);
    sums[name] = Hex(Crc32(bytes));
  }
  json[kOwnKey] = {{"format", kFormat}, {"files", sums}};
  json[kOwnKey]["checksum"] = ConfigChecksum(json);
  WriteFileAtomically(PathIn(folder, kConfigFile), json.dump(2) + "\n");
}

ModelDescription ReadModelConfig(const std::string& folder) {
  Json json = ReadConfigJson(folder);
  const Json sums = TakeOwn(json).value("files", Json::object());
  ModelDescription description = {std::move(json), {}};
  for (const auto& [name, sum] : sums.items()) {
    if (!IsEntryName(name)) {
      throw FormatError("{}: '{}' is not a file of the folder",
                        PathIn(folder, kConfigFile), name);
    }
    const std::string path = PathIn(folder, name);
    SharedBytes bytes = MapFile(ModelPath(folder, name));
    if (sum != Hex(Crc32(bytes))) {
      throw FormatError(path + ": damaged (its check sum differs)");
    }
    description.files[name] = std::move(bytes);
  }
  return description;
}

Json ReadModelSettings(const std::string& folder) {
  Json json = ReadConfigJson(folder);
  (void)TakeOwn(json);
  return json;
}

void WriteTensors(const std::string& path, std::span<const NamedTensor> tensors,
                  Metadata metadata) {
  metadata[kChecksumKey] = Checksum(tensors, metadata);
  WriteSafetensors(path, tensors, metadata);
}

void WeightsWriter::Begin(const ParameterSet& parameters) {
  if (file_) return;
  size_t bytes = 0;
  for (const auto& parameter : parameters.all()) {
    // An int8 parameter has scales and multipliers, too.
    bytes += 3 * parameter->name().size() + std::strlen(kScaleSuffix) +
             std::strlen(kActivationsSuffix);
  }
  file_.emplace(path_, 3 * parameters.all().size(), bytes);
}

void WeightsWriter::Add(const Parameter& parameter) {
  names_.insert(parameter.name());
  for (const NamedTensor& tensor : parameter.Tensors()) {
    file_->Add(tensor);
    digest_ += DigestOf(tensor);
  }
}

void WeightsWriter::Finish(Metadata metadata) {
  metadata[kChecksumKey] = Checksum(std::move(digest_), metadata);
  file_->Finish(metadata);
}

SafetensorsFile ReadTensors(const std::string& path) {
  SafetensorsFile file = ReadSafetensors(path);
  const auto sum = file.metadata.find(kChecksumKey);
  if (sum == file.metadata.end() ||
      sum->second != Checksum(file.tensors, file.metadata)) {
    throw FormatError(path + ": damaged (its check sum differs)");
  }
  return file;
}

bool IsFinite(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  const bool real =
      dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kBF16;
  return !real || kernels::AllFinite(tensor);
}

void SetParameters(ParameterSet& parameters,
                   const std::vector<NamedTensor>& tensors,
                   const std::string& file) {
  CheckFinite(tensors, file);
  parameters.SetTensors(tensors, file);
}

void TakeParameters(ParameterSet& parameters, std::vector<NamedTensor> tensors,
                    const std::string& file) {
  CheckFinite(tensors, file);
  parameters.TakeTensors(std::move(tensors), file);
}

}  // namespace heed
