#include "heed/convert/convert.h"

#include <filesystem>

#include "heed/base/errors.h"
#include "heed/tasks/run.h"
#include "heed/train/model_folder.h"

namespace heed {

Imported Import(const std::string& source,
                const std::vector<std::string>& vocabularies,
                const std::vector<std::string>& ignored) {
  if (!std::filesystem::is_directory(source)) {
    return ImportMarian(source, vocabularies, ignored);
  }
  if (!vocabularies.empty()) {
    throw ConfigError("vocab: a folder holds its own vocabularies");
  }
  return ImportHuggingFace(source, ignored);
}

void WriteImported(const std::string& folder, bool overwrite, Imported& model) {
  TrainingConfig training;
  training.run.out = folder;
  training.run.overwrite = overwrite;
  training.Resolve();
  OutFolder out(training.run);
  WriteSettings(*model.settings, *model.model, training, out);
  WriteTensors(out.PathOf(kWeightsFile), model.model->parameters().Tensors(),
               {{"heed.step", "0"}});
  out.Publish();
}

}  // namespace heed
