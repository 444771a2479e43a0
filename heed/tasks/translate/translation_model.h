// A translation model: a network with its vocabularies and settings.
#ifndef HEED_TASKS_TRANSLATE_TRANSLATION_MODEL_H_
#define HEED_TASKS_TRANSLATE_TRANSLATION_MODEL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/io/safetensors.h"
#include "heed/models/decoder.h"
#include "heed/models/registry.h"
#include "heed/tasks/task.h"
#include "heed/tasks/translate/parallel_text.h"
#include "heed/text/target_marks.h"

namespace heed::translate {

/// A value whose copies share the network.
class Model : public TaskModel {
 public:
  /// With fresh weights. `from`: where it was read, or will be written.
  Model(std::string from, ModelChoice<TranslatorSettings> settings,
        DataConfig text, Vocabularies learnt, uint64_t seed);

  using TaskModel::parameters;
  ParameterSet& parameters() override { return model->parameters(); }
  ModelFiles Files() const override;
  ModelOutline Outline() const override { return model->Outline(); }
  std::unique_ptr<PretrainedEncoder> encoder() const override;
  std::vector<std::pair<std::string, int64_t>> Sizes() const override {
    return {{"source_vocabulary", vocabularies.source.size()},
            {"target_vocabulary", vocabularies.target.size()}};
  }

  std::string folder;
  ModelChoice<TranslatorSettings> config;  // resolved
  DataConfig data;
  Vocabularies vocabularies;
  /// Shared by copies; of vocabularies.source.
  std::shared_ptr<const TargetMarks> marks;
  std::shared_ptr<Decoder> model;
};

/// The files of the vocabularies in a model's folder.
ModelFiles VocabularyFiles(const DataConfig& data, const Vocabularies& learnt);
/// The vocabularies of a folder's files. Throws: FormatError that names the
/// file in `folder`.
Vocabularies FindVocabularies(const DataConfig& data, const ModelFiles& files,
                              const std::string& folder);

/// A translation model of a folder. Throws: as ReadModel; FormatError if the
/// folder holds a model of another task.
Model ReadTranslationModel(const std::string& folder,
                           const std::string& dtype = "auto");

/// The model and those of `folders` as one (see Ensemble), in its precision.
/// Throws: as ReadTranslationModel; ConfigError if one has other vocabularies.
Model WithEnsemble(Model model, const std::vector<std::string>& folders);

}  // namespace heed::translate

#endif  // HEED_TASKS_TRANSLATE_TRANSLATION_MODEL_H_
