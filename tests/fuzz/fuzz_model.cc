// Whole models: a folder of Heed, a folder of Hugging Face, or a Marian model
// with its vocabularies. The first byte selects the kind. The files follow,
// separated, each with its name in the first line.
#include <nlohmann/json.hpp>

#include "heed/base/json.h"
#include "heed/convert/convert.h"
#include "heed/io/safetensors.h"
#include "heed/tasks/run.h"
#include "heed/train/model_folder.h"
#include "heed/train/out_folder.h"
#include "tests/fuzz/fuzz.h"

namespace heed::fuzz {
namespace {

constexpr const char* kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

using Files = std::vector<std::pair<std::string, std::string_view>>;

Files FilesOf(std::string_view bytes) {
  Files files;
  for (const std::string_view part : Parts(bytes, 1)) {
    const size_t end = part.find('\n');
    const std::string name(part.substr(0, end));
    const bool odd =
        name.empty() || name.size() > 64 || name[0] == '.' ||
        name.find_first_not_of(kNameCharacters) != std::string::npos;
    if (odd || end == std::string_view::npos) continue;
    files.emplace_back(name, part.substr(end + 1));
  }
  return files;
}

// Reads a folder whose checksums are corrected; otherwise most inputs would be
// rejected at once.
void ReadFolder(const Folder& folder, const Files& files) {
  ModelDescription description;
  description.settings = nlohmann::ordered_json::object();
  for (const auto& [name, bytes] : files) {
    if (name == "config.json") {
      description.settings = ParseJson(bytes, name);
      if (!description.settings.is_object()) return;
    } else if (name == kWeightsFile) {
      SafetensorsFile weights = ParseSafetensors(bytes, name);
      WriteTensors(PathIn(folder.path(), name), weights.tensors,
                   weights.metadata);
    } else {
      description.files[name] = std::string(bytes);
    }
  }
  WriteModelConfig(folder.path(), description);
  (void)ReadModel(folder.path());
}

// Finishes an interrupted replacement of a model. The input has the steps and
// the file names that a killed process left.
void FinishReplacement(std::string_view bytes) {
  static const Folder all;
  all.Clear();
  const std::string& outside = all.path();
  const std::string folder = PathIn(outside, "model");
  const std::string ready = PathIn(folder, kReadyFolder);
  std::filesystem::create_directories(ready);
  const std::string mine = PathIn(outside, "mine");
  WriteFileAtomically(mine, "mine");
  const std::vector<std::string_view> parts = Parts(bytes, 2);
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string name(parts[i].substr(0, 50));
    const bool usable = IsEntryName(name) && name[0] != '.';
    if (usable) WriteFileAtomically(PathIn(ready, name), "new");
  }
  WriteFileAtomically(PathIn(ready, ".steps"), parts[0]);
  MayRefuse([&] { const OutFolder out(folder); });
  Require(ReadFile(mine) == "mine", "nothing outside is touched");
  Require(std::filesystem::is_directory(folder), "the folder is still there");
}

void Read(uint8_t what, std::string_view bytes) {
  if (what == 'n') return FinishReplacement(bytes);
  static const Folder folder;
  folder.Clear();
  const Files files = FilesOf(bytes);
  if (what == 'f') return ReadFolder(folder, files);
  for (const auto& [name, content] : files) folder.Put(name, content);
  const bool marian = what == 'm';
  Imported imported =
      Import(marian ? folder.path() + "/model.npz" : folder.path(), {});
  WriteImported(folder.path() + "/.out", true, imported);
  (void)ReadModel(folder.path() + "/.out");
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return heed::fuzz::ReadKind(data, size, heed::fuzz::Read);
}
