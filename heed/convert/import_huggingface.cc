#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/errors.h"
#include "heed/convert/families/family.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/weight_files.h"
#include "heed/train/model_folder.h"

namespace heed {

Imported ImportHuggingFace(const std::string& folder,
                           const ImportRequest& request) {
  RefuseForeignWeights(folder);
  const std::string path = PathIn(folder, kConfigFile);
  if (!std::filesystem::exists(path)) {
    throw IoError(
        "{}: missing; a folder of Hugging Face has config.json, "
        "model.safetensors and the tokenizer's files, one of Marian model.npz, "
        "decoder.yml and vocabularies",
        path);
  }
  ImportOptions options = ReadJsonOptions(path);
  if (options.Has("heed")) {
    throw FormatError(path + ": a model of Heed's own, which needs no import");
  }
  options.Ignore(request.ignored);
  const std::string type = options.Text("model_type", "");
  std::vector<std::string> known;
  for (const ModelFamily& family : ModelFamilies()) {
    if (type != family.type) {
      known.emplace_back(family.type);
      continue;
    }
    Imported imported = family.import(folder, options, request);
    imported.program = "Hugging Face";
    imported.family = type;
    return imported;
  }
  options.Fail("model_type",
               fmt::format("Heed does not support '{}' (supported: {})", type,
                           fmt::join(known, ", ")));
}

}  // namespace heed
