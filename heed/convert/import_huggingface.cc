#include <filesystem>
#include <string>

#include "heed/base/errors.h"
#include "heed/convert/families/family.h"
#include "heed/convert/families/sentences.h"
#include "heed/convert/huggingface_folder.h"
#include "heed/convert/weight_files.h"
#include "heed/train/model_folder.h"

namespace heed {

Imported ImportHuggingFace(const std::string& folder,
                           const ImportRequest& request) {
  if (HasModules(folder) && !request.encoder_only) {
    return ImportSentences(folder, request);
  }
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
  const ModelFamily& family = FindFamily(options);
  Imported imported =
      family.encoder != nullptr
          ? ImportEncoder(folder, options, request, *family.encoder)
          : family.import(folder, options, request);
  imported.program = "Hugging Face";
  imported.family = family.type;
  return imported;
}

}  // namespace heed
