#include "heed/train/model_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "heed/base/errors.h"
#include "heed/io/file.h"
#include "heed/models/encoder_decoder.h"
#include "heed/train/optimizer.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kConfigFile = "config.json";
constexpr const char* kWeightsFile = "model.safetensors";
constexpr const char* kOwnKey = "heed";
constexpr const char* kCheckSumKey = "heed.crc32";

std::string PathIn(const std::string& folder, const std::string& file) {
  return (std::filesystem::path(folder) / file).string();
}

std::string Hex(uint32_t value) { return fmt::format("{:08x}", value); }

/// Over all that a reader relies on, in order.
std::string CheckSum(std::span<const NamedTensor> tensors,
                     const Metadata& metadata) {
  std::string digest;
  for (const NamedTensor& t : tensors) {
    const Tensor dense = t.value.Contiguous();
    const std::string_view bytes(static_cast<const char*>(dense.raw()),
                                 static_cast<size_t>(dense.bytes()));
    digest += fmt::format("{} {} {} {}\n", t.name, Name(dense.dtype()),
                          dense.shape().ToString(), Hex(Crc32(bytes)));
  }
  for (const auto& [key, value] : metadata) {
    if (key != kCheckSumKey) digest += fmt::format("{}={}\n", key, value);
  }
  return Hex(Crc32(digest));
}

struct VocabularyFile {
  std::string name;
  const Vocabulary* vocabulary;
};

std::string VocabularyFileName(const char* side, const std::string& kind) {
  return std::string(side) + ".vocabulary" +
         FileExtension(ParseVocabularyKind(kind));
}

/// The check sum of config.json itself, over its text without the sum.
std::string ConfigCheckSum(Json json) {
  json[kOwnKey].erase("checksum");
  return Hex(Crc32(json.dump()));
}

Json ReadConfigJson(const std::string& path) {
  Json json = ParseJson(ReadFile(path), path);
  if (!json.is_object() || !json.contains(kOwnKey) ||
      !json[kOwnKey].is_object()) {
    throw FormatError(path + ": not a model's configuration (no key 'heed')");
  }
  const Json& own = json[kOwnKey];
  const Json format = own.value("format", Json());
  if (format.is_number() && format > kFormat) {
    throw FormatError(
        fmt::format("{}: written by a newer version of Heed (format {}, this "
                    "one reads up to {})",
                    path, format.dump(), kFormat));
  }
  if (!own.contains("checksum") || own["checksum"] != ConfigCheckSum(json)) {
    throw FormatError(
        path +
        ": damaged or changed after it was written (its check sum "
        "differs); train again, or copy the folder again");
  }
  return json;
}

Vocabulary ReadVocabulary(const std::string& folder, const Json& files,
                          const std::string& name, const std::string& kind) {
  const std::string path = PathIn(folder, name);
  const std::string bytes = ReadFile(path);
  if (!files.contains(name) || files[name] != Hex(Crc32(bytes))) {
    throw FormatError(path + ": damaged (its check sum differs)");
  }
  return Vocabulary::Parse(bytes, ParseVocabularyKind(kind), path);
}

}  // namespace

void WriteModelConfig(const std::string& folder, TrainConfig& config,
                      const Vocabularies& vocabularies) {
  Json json = ToJson(config);
  Json files = Json::object();
  const VocabularyFile both[] = {
      {VocabularyFileName("source", config.data.vocabulary),
       &vocabularies.source},
      {VocabularyFileName("target", config.data.vocabulary),
       &vocabularies.target}};
  for (const VocabularyFile& file : both) {
    const std::string bytes = file.vocabulary->Serialize();
    WriteFileAtomically(PathIn(folder, file.name), bytes);
    files[file.name] = Hex(Crc32(bytes));
  }
  json[kOwnKey] = {{"format", kFormat}, {"files", files}};
  json[kOwnKey]["checksum"] = ConfigCheckSum(json);
  WriteFileAtomically(PathIn(folder, kConfigFile), json.dump(2) + "\n");
}

void WriteTensors(const std::string& path, std::span<const NamedTensor> tensors,
                  Metadata metadata) {
  metadata[kCheckSumKey] = CheckSum(tensors, metadata);
  WriteSafetensors(path, tensors, metadata);
}

SafetensorsFile ReadTensors(const std::string& path) {
  SafetensorsFile file = ReadSafetensors(path);
  const auto sum = file.metadata.find(kCheckSumKey);
  if (sum == file.metadata.end() ||
      sum->second != CheckSum(file.tensors, file.metadata)) {
    throw FormatError(path + ": damaged (its check sum differs)");
  }
  return file;
}

std::vector<NamedTensor> ParameterTensors(const ParameterSet& parameters) {
  std::vector<NamedTensor> tensors;
  for (const auto& parameter : parameters.all()) {
    tensors.push_back({parameter->name(), parameter->value()});
  }
  return tensors;
}

void SetParameters(ParameterSet& parameters,
                   const std::vector<NamedTensor>& tensors,
                   const std::string& file) {
  for (const auto& parameter : parameters.all()) {
    Tensor& value = parameter->mutable_value();
    value.CopyFrom(FindTensor(tensors, parameter->name(), value, file));
    parameter->Changed();
  }
}

ModelDescription ReadModelConfig(const std::string& folder) {
  const std::string path = PathIn(folder, kConfigFile);
  if (!std::filesystem::is_directory(folder)) {
    throw IoError(folder + ": not a folder with a model");
  }
  Json json = ReadConfigJson(path);
  const Json files = json[kOwnKey].value("files", Json::object());
  json.erase(kOwnKey);
  TrainConfig config;
  try {
    FromJson(config, json, path);
    config.Resolve();
  } catch (const ConfigError& error) {
    throw FormatError(error.what());
  }
  const std::string& kind = config.data.vocabulary;
  Vocabularies vocabularies = {
      ReadVocabulary(folder, files, VocabularyFileName("source", kind), kind),
      ReadVocabulary(folder, files, VocabularyFileName("target", kind), kind)};
  return {config, std::move(vocabularies)};
}

ModelFolder ReadModel(const std::string& folder) {
  ModelDescription description = ReadModelConfig(folder);
  ModelFolder result = {folder,
                        description.config,
                        std::move(description.vocabularies),
                        nullptr,
                        {}};
  const std::string path = PathIn(folder, kWeightsFile);
  const SafetensorsFile weights = ReadTensors(path);
  result.model = MakeModel(result.config, result.vocabularies);
  SetParameters(result.model->parameters(), weights.tensors, path);
  result.metadata = weights.metadata;
  return result;
}

std::unique_ptr<SequenceModel> MakeModel(const TrainConfig& config,
                                         const Vocabularies& vocabularies) {
  return std::make_unique<EncoderDecoder>(
      config.model, vocabularies.source.size(), vocabularies.target.size(),
      config.run.seed);
}

}  // namespace heed
