#include "heed/convert/weight_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "heed/base/errors.h"
#include "heed/base/json.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/io/file.h"
#include "heed/io/safetensors_reader.h"
#include "heed/train/model_folder.h"

namespace heed {
namespace {

constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr const char* kAdapterFile = "adapter_config.json";

/// Bytes of a tensor's name that a message shows.
constexpr size_t kShownBytes = 200;

constexpr const char* kPickle =
    "a pickle, which could run any program and is never read; save the model "
    "as safetensors (save_pretrained with safe_serialization=True)";

/// Files that are never imported: start and end of the name, and why.
struct ForeignFile {
  std::string_view start;
  std::string_view end;
  const char* why;
};
constexpr ForeignFile kForeignFiles[] = {
    {"pytorch_model", ".bin", kPickle},
    {"", ".pt", kPickle},
    {"", ".pth", kPickle},
    {"", ".msgpack",
     "weights of Flax, which Heed does not read; load the model with "
     "from_pretrained(from_flax=True) and save it with save_pretrained"},
    {"", ".h5",
     "weights of TensorFlow, which Heed does not read; load the model with "
     "from_pretrained(from_tf=True) and save it with save_pretrained"},
    {"", ".gguf",
     "a file of llama.cpp, which Heed does not read; import the folder of "
     "Hugging Face that it was made from"},
    {kAdapterFile, "",
     "an adapter, which is only a part of a model; merge it with its model "
     "(merge_and_unload of PEFT) and import the result"},
};

struct Index {
  std::map<std::string, std::set<std::string>> files;  // and their tensors
  std::optional<double> bytes;                         // of all tensors
};

Index ReadIndex(const std::string& path) {
  const nlohmann::ordered_json json = ParseJson(ReadFile(path), path);
  const nlohmann::ordered_json* map = nullptr;
  if (json.is_object() && json.contains("weight_map")) {
    map = &json["weight_map"];
  }
  if (map == nullptr || !map->is_object() || map->empty()) {
    throw FormatError(
        "{}: weight_map is no object with the file of each tensor", path);
  }
  Index index;
  // Some programs write it as 5e9.
  const nlohmann::ordered_json::json_pointer size("/metadata/total_size");
  if (json.contains(size) && json[size].is_number()) {
    index.bytes = json[size].get<double>();
  }
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string() || !IsEntryName(file.get<std::string>())) {
      throw FormatError(
          "{}: weight_map: tensor '{}' is in {}, which is no file of the "
          "folder",
          path, tensor.substr(0, kShownBytes), Abridged(file));
    }
    index.files[file.get<std::string>()].insert(tensor);
  }
  return index;
}

/// Old conversions from TensorFlow use other suffixes.
std::string NewName(std::string name) {
  for (const auto& [old_end, end] :
       {std::pair{".gamma", ".weight"}, {".beta", ".bias"}}) {
    if (name.ends_with(old_end)) {
      name.replace(name.rfind('.'), std::string::npos, end);
    }
  }
  return name;
}

struct AddedFile {
  std::set<std::string> names;  // of tensors, as in the file
  uint64_t bytes = 0;           // of tensors
};

/// Adds all tensors of a file.
AddedFile AddFile(const std::string& path, SourceWeights& weights) {
  const auto reader = std::make_shared<const SafetensorsReader>(path);
  AddedFile added;
  for (const SafetensorsEntry& entry : reader->entries()) {
    added.names.insert(entry.name);
    added.bytes += entry.end - entry.begin;
    weights.Add(NewName(entry.name),
                {.shape = entry.shape,
                 .file = path,
                 .read = [reader, &entry] { return reader->Read(entry); },
                 .dtype = entry.dtype});
  }
  return added;
}

void AddFilesOfIndex(const std::string& folder, const std::string& index,
                     SourceWeights& weights) {
  const Index read = ReadIndex(index);
  uint64_t bytes = 0;
  for (const auto& [file, tensors] : read.files) {
    const std::string path = PathIn(folder, file);
    if (!HasFile(folder, file)) {
      throw IoError("{}: missing; by {} it holds tensor '{}'", path, index,
                    tensors.begin()->substr(0, kShownBytes));
    }
    const AddedFile added = AddFile(path, weights);
    bytes += added.bytes;
    for (const std::string& tensor : tensors) {
      if (added.names.contains(tensor)) continue;
      throw FormatError("{}: tensor '{}' is missing, which {} names", path,
                        tensor.substr(0, kShownBytes), index);
    }
  }
  if (read.bytes && *read.bytes != static_cast<double>(bytes)) {
    throw FormatError(
        "{}: metadata.total_size is {} bytes, but the tensors of its files "
        "have {}; download all files again, or remove the key if they are "
        "right",
        index, *read.bytes, bytes);
  }
}

SourceWeights OpenFiles(const std::string& folder) {
  const std::string index = PathIn(folder, kIndexFile);
  if (HasFile(folder, kWeightsFile) || !HasFile(folder, kIndexFile)) {
    const std::string path = PathIn(folder, kWeightsFile);
    SourceWeights weights(path);
    AddFile(path, weights);
    return weights;
  }
  SourceWeights weights(index);
  AddFilesOfIndex(folder, index, weights);
  return weights;
}

/// Throws: ConfigError if the matrices cannot be stored in bf16.
void CheckDType(const SourceWeights& weights, Auto<RunFormat> dtype) {
  if (dtype == RunFormat::kBF16 && weights.matrix_dtypes().contains("F16")) {
    throw ConfigError(
        "{}: holds f16, whose numbers bf16 would round; import it with --dtype "
        "f32 or int8",
        weights.file());
  }
}

}  // namespace

SourceWeights OpenSourceWeights(const std::string& folder,
                                const WeightStorage& storage) {
  SourceWeights weights = OpenFiles(folder);
  CheckDType(weights, storage.dtype);
  weights.SetStorage(storage);
  return weights;
}

void RefuseForeignFile(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  for (const auto& [start, end, why] : kForeignFiles) {
    if (name.starts_with(start) && name.ends_with(end)) {
      throw FormatError("{}: {}", path, why);
    }
  }
}

void RefuseForeignWeights(const std::string& folder) {
  if (HasFile(folder, kAdapterFile)) {
    RefuseForeignFile(PathIn(folder, kAdapterFile));
  }
  if (HasFile(folder, kWeightsFile) || HasFile(folder, kIndexFile)) {
    return;
  }
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder, ignored)) {
    names.insert(entry.path().filename().string());
  }
  for (const std::string& name : names) {
    RefuseForeignFile(PathIn(folder, name));
  }
}

}  // namespace heed
