#include "heed/convert/convert.h"

#include <filesystem>
#include <system_error>

#include "heed/base/errors.h"
#include "heed/convert/marian_package.h"
#include "heed/convert/weight_files.h"
#include "heed/tasks/run.h"
#include "heed/train/model_folder.h"

namespace heed {

Imported Import(const std::string& source, const ImportRequest& request) {
  const bool folder = std::filesystem::is_directory(source);
  const bool config = std::filesystem::exists(PathIn(source, kConfigFile));
  if (!folder) RefuseForeignFile(source);
  if (!folder || (!config && IsMarianFolder(source))) {
    return ImportMarian(source, request);
  }
  if (!request.vocabularies.empty() || !request.subwords.empty()) {
    throw ConfigError(
        "{}: {}: a folder of Hugging Face holds its own vocabularies",
        request.vocabularies.empty() ? "spm" : "vocab", source);
  }
  return ImportHuggingFace(source, request);
}

void CheckOutIsOther(const std::string& source, const std::string& out) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(source, ignored) ||
      !std::filesystem::equivalent(source, out, ignored)) {
    return;
  }
  throw ConfigError(
      "--out {}: is the folder of the model to import; name another one", out);
}

void WriteImported(const std::string& folder, bool overwrite, Imported& model) {
  TrainingConfig training;
  training.run.out = folder;
  training.run.overwrite = overwrite;
  training.Resolve();
  OutFolder out(training.run);
  WriteSettings(*model.settings, *model.model, training, out);
  WriteTensors(out.PathOf(kWeightsFile), model.model->parameters().Tensors(),
               {{"heed.step", "0"}, {kImportedKey, model.program}});
  out.Publish();
}

}  // namespace heed
