
#include <utility>

#include "heed/tasks/speech/speech.h"

namespace heed::speech {
namespace {

Config FilledRecogniser(Config config) {
  config.model->Fill();
  return config;
}

}  // namespace

std::unique_ptr<Model> Settings::Open(const ModelFiles& files,
                                      const std::string& folder,
                                      uint64_t seed) const {
  return std::make_unique<Model>(*this, data.vocabulary.Find(files, folder),
                                 seed);
}

Model::Model(Config settings, Vocabulary words, uint64_t seed)
    : config(FilledRecogniser(std::move(settings))),
      vocabulary(std::move(words)),
      mel(config.data.sound),
      network(config.model->Make(mel.features(),
                                 static_cast<int>(vocabulary.size()), seed)) {}

ModelFiles Model::Files() const {
  return {{config.data.vocabulary.FileName(), vocabulary.Serialize()}};
}

}  // namespace heed::speech
