#include "heed/convert/convert.h"

#include <filesystem>

#include "heed/base/errors.h"
#include "heed/convert/import_huggingface.h"
#include "heed/convert/import_marian.h"
#include "heed/train/model_folder.h"

namespace heed {

Imported Import(const std::string& source,
                const std::vector<std::string>& vocabularies) {
  if (!std::filesystem::is_directory(source)) {
    return ImportMarian(source, vocabularies);
  }
  if (!vocabularies.empty()) {
    throw ConfigError("vocab: a folder holds its own vocabularies");
  }
  return ImportHuggingFace(source);
}

void WriteImported(const std::string& folder, bool overwrite, Imported& model) {
  TrainingConfig training;
  training.run.out = folder;
  training.run.overwrite = overwrite;
  training.Resolve();
  const OutFolder out(training.run);
  WriteSettings(*model.task, training);
  WriteTensors(PathIn(folder, kWeightsFile), model.task->parameters().Tensors(),
               {{"heed.step", "0"}});
}

}  // namespace heed
