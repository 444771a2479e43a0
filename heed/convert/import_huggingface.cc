#include <filesystem>

#include "heed/base/errors.h"
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
  const std::string type = options.OneOf("model_type", "", {"marian", "bert"});
  Imported imported = type == "marian" ? ImportMarianMt(folder, options)
                                       : ImportBert(folder, options, request);
  imported.program = "Hugging Face";
  return imported;
}

}  // namespace heed
